package respond

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestShares checks what one owner may hold, what is left for small answers, and
// that a request that waits gets memory as soon as there is some.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const mib = 1 << 20
		pool := NewPool(64 * mib)
		hold := func(owner string, small bool, n int) (release []func(), refused error) {
			for range n {
				r, err := Holder{pool, owner, small}.Reserve(t.Context(), mib)
				if err != nil {
					return release, err
				}
				release = append(release, r)
			}
			return release, nil
		}
		ann, err := hold("ann", false, 20)
		if len(ann) != 16 || !errors.Is(err, ErrOwnerMemory) {
			t.Fatalf("one owner holds %d MiB of 64, error %v", len(ann), err)
		}
		if _, err := hold("ann", true, 1); !errors.Is(err, ErrOwnerMemory) {
			t.Errorf("a small answer beyond the share: %v", err)
		}
		bob, _ := hold("bob", false, 16)
		eve, err := hold("eve", false, 16)
		if len(eve) != 16 || err != nil {
			t.Fatalf("the third owner holds %d MiB, error %v", len(eve), err)
		}
		if _, err := hold("joe", false, 1); !errors.Is(err, ErrMemory) {
			t.Errorf("a large answer beyond three quarters: %v", err)
		}
		if small, err := hold("joe", true, 16); len(small) != 16 || err != nil {
			t.Errorf("%d small answers while large ones take all they may: %v", len(small), err)
		} else {
			for _, release := range small {
				release()
			}
		}
		began := time.Now()
		time.AfterFunc(memoryWait/2, bob[0])
		if _, err := hold("joe", false, 1); err != nil || time.Since(began) != memoryWait/2 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(memoryWait/2, cancel)
		if _, err := (Holder{pool, "joe", false}).Reserve(gone, mib); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that left: %v", err)
		}
		if len(pool.memory.waiting) != 0 || pool.memory.used != 48*mib {
			t.Errorf("%d wait, %d MiB are in use", len(pool.memory.waiting), pool.memory.used/mib)
		}
	})
}
