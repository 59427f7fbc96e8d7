package subjects

import (
	"bytes"
	"testing"
)

func TestCompareAnswers(t *testing.T) {
	const whole = `{"ok":true,"data":{"items":[{"id":"A"}]},"meta":{"requestId":"1"}}`
	for _, c := range []struct {
		name, got, want string
		same            bool
	}{
		{"another request", `"requestId":"1"`, `"requestId":"2"`, true},
		{"another item", `"A"`, `"B"`, false},
		{"cut off", `}}`, `}`, false},
		{"no meta", `,"meta":{"requestId":"1"}`, ``, false},
	} {
		got := bytes.Replace([]byte(whole), []byte(c.got), []byte(c.want), 1)
		if err := compareAnswers(got, []byte(whole)); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestDecode(t *testing.T) {
	body := bytes.Repeat([]byte("prices "), 1000)
	got, err := decode(gzip6(body), "gzip")
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("gzip: %d bytes, %v", len(got), err)
	}
	if _, err := decode([]byte("not compressed"), "zstd"); err == nil {
		t.Error("text was decoded as zstd")
	}
}
