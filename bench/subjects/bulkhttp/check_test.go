package bulkhttp

import (
	"bytes"
	"testing"
)

func TestSameItems(t *testing.T) {
	const whole = `{"ok":true,"counts":{"requested":1000,"resolved":1000,"notFound":0},"data":{"items":[{"id":"A"}]},"meta":{"requestId":"1"}}`
	for _, c := range []struct {
		name, got, want string
		same            bool
	}{
		{"another request", `"requestId":"1"`, `"requestId":"2"`, true},
		{"another item", `"A"`, `"B"`, false},
		{"not all found", `"resolved":1000`, `"resolved":999`, false},
		{"cut off", `}}`, `}`, false},
		{"no meta", `,"meta":{"requestId":"1"}`, ``, false},
	} {
		got := bytes.Replace([]byte(whole), []byte(c.got), []byte(c.want), 1)
		if err := sameItems(got, []byte(whole)); (err == nil) != c.same {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestCodingsDecode(t *testing.T) {
	body := bytes.Repeat([]byte("prices "), 1000)
	got, err := decoded(packed(body), "gzip")
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("gzip: %d bytes, %v", len(got), err)
	}
	if _, err := decoded([]byte("nothing of the kind"), "zstd"); err == nil {
		t.Error("text is no zstd")
	}
}
