package oidctest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (p *Provider) describe(w http.ResponseWriter, does Behaviour) {
	method := "client_secret_basic"
	if does.SecretInBody {
		method = "client_secret_post"
	}
	description := map[string]any{
		"issuer":                                p.Issuer(),
		"authorization_endpoint":                p.Issuer() + AuthorizePath,
		"token_endpoint":                        p.Issuer() + TokenPath,
		"jwks_uri":                              p.Issuer() + KeysPath,
		"userinfo_endpoint":                     p.Issuer() + UserInfoPath,
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"ES256"},
		"token_endpoint_auth_methods_supported": []string{method},
		"code_challenge_methods_supported":      []string{"S256"},
	}
	if does.Describe != nil {
		does.Describe(description)
	}
	answer(w, http.StatusOK, description)
}

// authorize sends the browser back at once, with a code for the person.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request, does Behaviour) {
	q := r.URL.Query()
	client, ok := p.client(q.Get("client_id"))
	// Without both, the browser is not redirected.
	if !ok || q.Get("redirect_uri") != client.ReturnTo {
		http.Error(w, "unknown client or address to return to", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}}
	switch {
	case does.Refusal != "":
		back.Set("error", does.Refusal)
	case wrong(q) != "":
		back.Set("error", "invalid_request")
		p.t.Errorf("a client asked to authorize with a wrong %s", wrong(q))
	default:
		back.Set("code", p.grant(grant{client, does.Person, q.Get("nonce"), q.Get("code_challenge")}))
	}
	http.Redirect(w, r, client.ReturnTo+"?"+back.Encode(), http.StatusFound)
}

// wrong returns the first parameter that a careful client would send differently.
func wrong(q url.Values) string {
	for name, good := range map[string]bool{
		"response_type":         q.Get("response_type") == "code",
		"scope":                 slices.Contains(strings.Fields(q.Get("scope")), "openid"),
		"state":                 len(q.Get("state")) >= 22,
		"nonce":                 len(q.Get("nonce")) >= 22,
		"code_challenge":        len(q.Get("code_challenge")) == 43,
		"code_challenge_method": q.Get("code_challenge_method") == "S256",
	} {
		if !good {
			return name
		}
	}
	return ""
}

func (p *Provider) client(id string) (Client, bool) {
	i := slices.IndexFunc(p.clients, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return p.clients[i], true
}

func (p *Provider) grant(g grant) (code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	code = rand.Text()
	p.codes[code] = g
	return code
}

// token exchanges a code for an ID token, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request, does Behaviour) {
	id, secret, _ := r.BasicAuth()
	if does.SecretInBody {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	client, known := p.client(id)
	if !known || secret != client.Secret {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	p.mu.Lock()
	g, granted := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	p.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !granted || g.client != client || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("redirect_uri") != client.ReturnTo || g.challenge != base64.RawURLEncoding.EncodeToString(challenge[:]) {
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	access := rand.Text()
	p.mu.Lock()
	p.access[access] = g.person
	p.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": p.idToken(g, does),
	})
}

func (p *Provider) idToken(g grant, does Behaviour) string {
	now := time.Now()
	claims := map[string]any{
		"iss": p.Issuer(), "sub": g.person.Subject, "aud": g.client.ID, "nonce": g.nonce,
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	if !does.AddressApart {
		maps.Copy(claims, g.person.address())
	}
	if does.Claims != nil {
		does.Claims(claims)
	}
	return p.sign(claims, does)
}

func (p Person) address() map[string]any {
	if p.Email == "" {
		return nil
	}
	return map[string]any{"email": p.Email, "email_verified": p.Verified}
}

func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	access, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	person, known := p.access[access]
	p.mu.Unlock()
	if !known {
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_token"})
		return
	}
	claims := map[string]any{"sub": person.Subject}
	maps.Copy(claims, person.address())
	answer(w, http.StatusOK, claims)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}
