package main

import (
	"net/http"
	"os/exec"
	"sync"
	"testing"

	"gamedex/internal/api/apitest"
)

// printedReference is what `gamedex openapi` prints.
var printedReference = sync.OnceValues(func() (apitest.Reference, error) {
	path, err := binary()
	if err != nil {
		return apitest.Reference{}, err
	}
	text, err := exec.Command(path, "openapi").Output()
	if err != nil {
		return apitest.Reference{}, err
	}
	return apitest.Read(text)
})

// plainTransport leaves codings alone.
var plainTransport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}

// newReference makes a transport that holds every answer against the API
// reference and against what all answers have in common.
func newReference(t *testing.T) http.RoundTripper {
	t.Helper()
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	return ref.Transport(t, plainTransport)
}
