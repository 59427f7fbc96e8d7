package await

import (
	"strings"
	"sync"
)

// Text is what a program writes, such as its log, for a test that reads it meanwhile.
type Text struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *Text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

// String returns what was written until now.
func (t *Text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
