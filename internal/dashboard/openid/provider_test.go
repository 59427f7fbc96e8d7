package openid_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gamedex/internal/dashboard/openid"
)

// TestEndpointsOfThisMachine checks that a provider elsewhere cannot have requests sent to what listens on this machine.
func TestEndpointsOfThisMachine(t *testing.T) {
	for _, endpoint := range []string{"", "token_endpoint", "jwks_uri", "userinfo_endpoint", "authorization_endpoint"} {
		server := httptest.NewUnstartedServer(nil)
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			description := map[string]any{
				"issuer": server.URL, "authorization_endpoint": server.URL + "/a", "token_endpoint": server.URL + "/t", "jwks_uri": server.URL + "/k",
				"userinfo_endpoint": server.URL + "/u",
			}
			if endpoint != "" {
				description[endpoint] = "http://127.0.0.1:6379/"
			}
			if err := json.NewEncoder(w).Encode(description); err != nil {
				t.Error(err)
			}
		})
		server.StartTLS()
		p := openid.New(openid.Settings{Issuer: server.URL, ClientID: "a", ClientSecret: "b", Client: server.Client()}, server.URL, time.Now)
		_, err := p.AuthURL(t.Context(), openid.SignIn{State: "s", Nonce: "n", Verifier: "v"})
		if refused := err != nil && strings.Contains(err.Error(), "127.0.0.1:6379"); refused != (endpoint != "") || err != nil && !refused {
			t.Errorf("%q at a port of this machine: error %v", endpoint, err)
		}
		server.Close()
	}
}
