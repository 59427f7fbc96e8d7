package builder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog/merge"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// newer publishes a manifest as a newer version does: the one in force, with other
// inputs.
func (w *world) newer(change func(*publish.Inputs)) publish.Manifest {
	w.t.Helper()
	m, err := publish.Latest(w.t.Context(), w.bucket, func(error) {})
	if err != nil {
		w.t.Fatal(err)
	}
	change(&m.Inputs)
	if won, err := w.db.Nodes.Advance(w.t.Context(), m.Seq); !won || err != nil {
		w.t.Fatal(won, err)
	}
	m.Seq++
	body, err := m.Encode()
	if err == nil {
		err = w.bucket.Put(w.t.Context(), publish.ManifestName(m.Seq), body)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// newest returns the number of the newest manifest, of whatever version.
func (w *world) newest() int64 {
	w.t.Helper()
	numbers, err := publish.Numbers(w.t.Context(), w.bucket)
	if err != nil || len(numbers) == 0 {
		w.t.Fatal(numbers, err)
	}
	return numbers[0]
}

// TestStepsBackFromANewerVersion runs a builder whose bucket has a snapshot of a newer
// version, which was published before it started or while it ran. It publishes nothing
// and leaves the lease to that version, until the snapshots of that version are deleted.
func TestStepsBackFromANewerVersion(t *testing.T) {
	for running, change := range map[bool]func(*publish.Inputs){
		false: func(in *publish.Inputs) { in.Format = index.Format + 1 },
		true:  func(in *publish.Inputs) { in.MergeVersion = merge.MergeVersion + 1 },
	} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				stop := w.start(w.bucket)
				w.save(star)
				w.nextBuild()
				if !running {
					stop()
				}
				m := w.newer(change)
				if !running {
					w.start(w.bucket)
				}
				w.save(dearer)
				w.set(func() { w.states = []index.PlatformState{{Status: "outage"}} })
				time.Sleep(10*time.Minute + 7*time.Second) // not when it looks again
				if n := w.newest(); n != m.Seq || len(w.reports) > 0 {
					t.Fatalf("it published %d after %d\n%s", n, m.Seq, &w.log)
				}
				if n := strings.Count(w.log.String(), "this process builds no snapshots"); n != 1 {
					t.Errorf("it said %d times that it steps back, want once:\n%s", n, &w.log)
				}
				l, ok, err := w.db.Nodes.Claim(t.Context(), "build", "newer", time.Second)
				if !ok || err != nil || l.LastError != "" {
					t.Errorf("the newer version cannot have the lease: %+v, %v, %v", l, ok, err)
				}
				if err := w.bucket.Delete(t.Context(), publish.ManifestName(m.Seq)); err != nil {
					t.Fatal(err)
				}
				w.set(func() { w.states = nil })
				if r := w.nextBuild(); r.Seq != m.Seq+1 {
					t.Errorf("after the snapshot was deleted it published %d, want %d", r.Seq, m.Seq+1)
				}
			})
		})
	}
}

// TestBuildsOverAnOlderFormat checks that an upgraded builder replaces what the version
// before published.
func TestBuildsOverAnOlderFormat(t *testing.T) {
	for name, change := range map[string]func(*publish.Inputs){
		"format":        func(in *publish.Inputs) { in.Format = index.Format - 1 },
		"merge version": func(in *publish.Inputs) { in.MergeVersion = merge.MergeVersion - 1 },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				stop := w.start(w.bucket)
				w.save(star)
				w.nextBuild()
				stop()
				m := w.newer(change)
				w.start(w.bucket)
				w.nextBuild()
				if in := w.manifest(m.Seq + 1).Inputs; in.Format != index.Format || in.MergeVersion != merge.MergeVersion {
					t.Errorf("it published %+v", in)
				}
			})
		})
	}
}
