package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"gamedex/internal/testing/apitest"
)

// printedReference returns what `gamedex openapi` prints.
var printedReference = sync.OnceValues(func() (apitest.Reference, error) {
	var text, stderr bytes.Buffer
	p := &program{Stdout: &text, Stderr: &stderr}
	if status := p.run(context.Background(), []string{"openapi"}); status != statusDone {
		return apitest.Reference{}, fmt.Errorf("gamedex openapi: status %d: %s", status, &stderr)
	}
	return apitest.Read(text.Bytes())
})

// plainTransport does not decompress answers.
var plainTransport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}

// newReference returns a transport that checks every answer against the API
// reference and against what all answers have in common.
func newReference(t *testing.T) http.RoundTripper {
	t.Helper()
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	return ref.Transport(t, plainTransport)
}
