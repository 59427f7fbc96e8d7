package apitest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

const document = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/game":{"get":{"responses":{"200":{"description":"ok",
	"content":{"application/json":{"schema":{"type":"object","required":["ok"],"properties":{
		"ok":{"type":"boolean","const":true},
		"price":{"type":["integer","null"],"format":"int32","minimum":0},
		"kind":{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]},
		"any":{},
		"regions":{"type":"object","propertyNames":{"pattern":"^[A-Z]{2}$"},"additionalProperties":{"type":"string"}}
	}}}}}}}}}}`

// TestFaultsAreFound checks answers, the second ones with the quick validator. It does not
// know propertyNames, which the first answer of each kind is checked for.
func TestFaultsAreFound(t *testing.T) {
	for body, faults := range map[string][2]bool{
		`{"ok":true,"price":5,"kind":"a","any":[{}],"regions":{"UA":"x"}}`: {},
		`{"ok":true,"price":null,"kind":null,"any":null,"regions":{}}`:     {},
		`{"ok":false}`:                      {true, true},
		`{"price":5}`:                       {true, true},
		`{"ok":true,"price":-1}`:            {true, true},
		`{"ok":true,"price":"5"}`:           {true, true},
		`{"ok":true,"price":4294967296}`:    {true, true},
		`{"ok":true,"kind":"c"}`:            {true, true},
		`{"ok":true,"other":1}`:             {true, true},
		`{"ok":true,"regions":{"UA":1}}`:    {true, true},
		`{"ok":true,"regions":{"ua":"x"}}`:  {true, false},
		`{"ok":true,"regions":null}`:        {true, true},
		`{"ok":true,"regions":{"UA":null}}`: {true, true},
	} {
		ref, err := Read([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range faults {
			resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}}
			err := ref.validate(httptest.NewRequest(http.MethodGet, prefix+"/game", nil), resp, []byte(body))
			if (err != nil) != want {
				t.Errorf("answer %d, %s: %v, want a fault: %v", i+1, body, err, want)
			}
		}
	}
}
