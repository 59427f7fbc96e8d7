package oidctest

import (
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// Signature is how ID tokens are signed.
type Signature int

// The signatures.
const (
	Honest    Signature = iota
	OtherKey            // with a key that is not the provider's, under the name of the one that is
	Nothing             // "alg": "none"
	Symmetric           // HMAC with the public key, which everybody has, for a secret
	Altered             // the claims were changed after signing
)

// currentKey returns the key with which tokens are signed, and its name.
func (p *Provider) currentKey(does Behaviour) (key *ecdsa.PrivateKey, name string) {
	if does.Rotated {
		return p.newer, "second"
	}
	return p.key, "first"
}

// sign returns a JSON Web Token.
func (p *Provider) sign(claims map[string]any, does Behaviour) string {
	how := does.Signature
	key, name := p.currentKey(does)
	header := map[string]any{"alg": "ES256", "typ": "JWT", "kid": name}
	switch how {
	case Nothing:
		header["alg"] = "none"
	case Symmetric:
		header["alg"] = "HS256"
	}
	signed := p.encode(header) + "." + p.encode(claims)
	signature := p.signature(signed, key, how)
	if how == Altered {
		claims["sub"] = "somebody-else"
		signed = p.encode(header) + "." + p.encode(claims)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (p *Provider) encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		p.t.Error(err)
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func (p *Provider) signature(signed string, key *ecdsa.PrivateKey, how Signature) []byte {
	switch how {
	case Nothing:
		return nil
	case Symmetric:
		mac := hmac.New(sha256.New, p.public(key))
		mac.Write([]byte(signed))
		return mac.Sum(nil)
	case OtherKey:
		key = p.other
	}
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		p.t.Error(err)
		return nil
	}
	both := make([]byte, 64)
	r.FillBytes(both[:32])
	s.FillBytes(both[32:])
	return both
}

// public returns the public half of a key as a point: 4, x, y.
func (p *Provider) public(key *ecdsa.PrivateKey) []byte {
	point, err := key.PublicKey.Bytes()
	if err != nil {
		p.t.Error(err)
		return make([]byte, 65)
	}
	return point
}

func (p *Provider) keys(w http.ResponseWriter, does Behaviour) {
	key, name := p.currentKey(does)
	point := p.public(key)
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": name,
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]),
		"y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}}})
}
