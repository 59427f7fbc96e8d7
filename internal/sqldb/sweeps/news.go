package sweeps

import (
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// news remembers, for this process, the scopes whose last batch mostly brought something new,
// as in a first sweep or at the beginning of a sale. There the next batch does not look for
// listings that its parts confirm (seeAgain): most look-ups would find nothing.
type news struct {
	mu     sync.Mutex
	scopes map[sweep.Scope]bool
}

func (n *news) mostly(s sweep.Scope) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.scopes[s]
}

// learn remembers the counts of a batch. A look-up that finds its listing saves about twice
// what one costs that does not.
func (n *news) learn(s sweep.Scope, c catalog.SaveCounts) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.New+c.Changed <= 2*c.Unchanged {
		delete(n.scopes, s)
		return
	}
	if n.scopes == nil {
		n.scopes = map[sweep.Scope]bool{}
	}
	n.scopes[s] = true
}
