package quota_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/quota"
)

// TestOwnersAgainstCounting compares keys of one owner with a naive limiter, over
// restarts: a request passes only if key and owner have one left, and is charged
// to both or to neither.
func TestOwnersAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, stored := quota.NewMemory(), map[string]quota.State{}
		now := rapid.Int64Range(0, at("2100-01-01 00:00:00.000")).Draw(t, "start")
		used := map[string]int{} // by key or owner, and window
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += rapid.OneOf(rapid.Int64Range(0, 20_000), rapid.Int64Range(0, 50_000_000)).Draw(t, "pause")
			limits, owner := genLimits().Draw(t, "limits"), quota.Owner{ID: "usr_1", Limits: genLimits().Draw(t, "of the owner")}
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			window := func(of string, millis int64) string { return fmt.Sprint(of, now/millis, "of", millis) }
			keyMinute, keyDay := window(key, 60_000), window(key, 86_400_000)
			ownerMinute, ownerDay := window("owner", 60_000), window("owner", 86_400_000)
			byKey := used[keyMinute] < limits.Minute && used[keyDay] < limits.Day
			byOwner := used[ownerMinute] < owner.Limits.Minute && used[ownerDay] < owner.Limits.Day
			looked, _ := m.Look(context.Background(), key, limits, owner, now)
			d, err := m.Take(context.Background(), key, limits, owner, now)
			if err != nil || d.Allowed != (byKey && byOwner) || looked.Allowed != d.Allowed || d.ByOwner && byOwner {
				t.Fatalf("%+v, %v; the key has some left: %v, the owner: %v", d, err, byKey, byOwner)
			}
			if d.Allowed {
				for _, w := range []string{keyMinute, keyDay, ownerMinute, ownerDay} {
					used[w]++
				}
			}
			left := max(0, min(limits.Minute-used[keyMinute], owner.Limits.Minute-used[ownerMinute]))
			if d.Minute.Limit != limits.Minute || d.Minute.Remaining != left {
				t.Fatalf("%+v, want %d left", d.Minute, left)
			}
			if rapid.IntRange(0, 5).Draw(t, "restart") == 0 {
				for _, st := range m.Changed(now) {
					stored[st.ID] = st
				}
				m = quota.NewMemory()
				for _, st := range stored {
					m.Load([]quota.State{st})
				}
			}
		}
	})
}

func TestKeysOfAnOwnerAtOnce(t *testing.T) {
	m, now := quota.NewMemory(), at("2026-03-01 12:00:00.000")
	owner := quota.Owner{ID: "usr_1", Limits: quota.Limits{Minute: 40, Day: 1 << 40}}
	var passed atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			d, err := m.Take(context.Background(), fmt.Sprint("key", i%4), quota.Limits{Minute: 30, Day: 100}, owner, now)
			if err != nil {
				t.Error(err)
			}
			if d.Allowed {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 40 {
		t.Errorf("%d of 200 passed, want 40", passed.Load())
	}
	sum := 0
	for _, st := range m.Changed(now) {
		if !st.Owner {
			sum += st.MinuteUsed
		} else if st.ID != "usr_1" || st.MinuteUsed != 40 {
			t.Errorf("the owner's state is %+v", st)
		}
	}
	if sum != 40 {
		t.Errorf("%d requests were charged to keys, want 40", sum)
	}
}
