package builder

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/publish"
)

// inspection is what a builder knows about the files of the published snapshot. It looks for
// damage at three paces: at once at what nodes report, often at sizes and times, and slowly at
// the content of every file, soon after it was written and then again and again.
type inspection struct {
	listedAt   time.Time
	listed     map[string]bucket.Entry // as they were listed last
	verified   map[string]time.Time    // when files were last read and found intact
	verifyNext time.Time
	refuted    map[string]time.Time // reported files that were intact then
	pause      time.Duration        // after the next repair; 0: the shortest
	repairNext time.Time
}

const (
	// verifyAll is how long it takes to read every file once, if they are small.
	verifyAll = 5 * time.Minute
	// verifyNew is the pause before the next file while some were never read.
	verifyNew = time.Second
	// verifyRate bounds the bytes that are read for that in a second.
	verifyRate = 1 << 20
	// If what was published again is damaged as well, the pauses between repairs grow.
	shortestPause = 2 * time.Second
	longestPause  = 10 * time.Minute
)

// repair publishes the snapshot again if a file of it is missing or damaged: with the same
// blobs if only the manifest is, else it is built again.
func (b *Builder) repair(ctx context.Context) error {
	now := b.cfg.Now()
	if b.publisher.Current().Seq == 0 || now.Before(b.inspection.repairNext) {
		return nil
	}
	suspects, err := b.suspects(ctx, now)
	if err != nil {
		return err
	}
	damaged, err := b.verify(ctx, suspects, now)
	if err != nil || len(damaged) == 0 {
		return err
	}
	b.cfg.Log.Warn("files of the published snapshot are missing or damaged; publishing it again", "files", len(damaged), "first", damaged[0])
	b.inspection.repaired(now)
	if slices.Equal(damaged, b.publisher.Files()[:1]) {
		if err := b.publisher.Republish(ctx); err != nil {
			return err
		}
		return b.clean(ctx)
	}
	b.lastTook = 0 // no pause before the build
	return b.publisher.Resume(ctx, merge.MergeVersion)
}

// verify reads files and returns those that are missing or damaged.
func (b *Builder) verify(ctx context.Context, names []string, now time.Time) (damaged []string, err error) {
	in, files := &b.inspection, b.publisher.Files()
	read := 0
	for _, name := range names {
		size, err := b.publisher.Verify(ctx, name)
		if _, ok := errors.AsType[*publish.DamageError](err); ok {
			damaged = append(damaged, name)
			continue
		} else if err != nil {
			return nil, err
		}
		in.intact(name, now)
		read += size
	}
	in.calm(files)
	if pace := verifyAll / time.Duration(len(files)); len(names) > 0 {
		if len(in.verified) < len(files) {
			pace = verifyNew
		}
		in.verifyNext = now.Add(max(pace, time.Duration(read/verifyRate)*time.Second))
	}
	return damaged, nil
}

// suspects returns the files that have to be read now.
func (b *Builder) suspects(ctx context.Context, now time.Time) (names []string, err error) {
	in, files := &b.inspection, b.publisher.Files()
	reported := b.cfg.Damaged()
	maps.DeleteFunc(in.refuted, func(name string, at time.Time) bool {
		return !slices.Contains(reported, name) || now.Sub(at).Abs() >= verifyAll
	})
	for _, name := range reported {
		if _, refuted := in.refuted[name]; !refuted && (slices.Contains(files, name) || b.publisher.Above(name)) {
			names = append(names, name)
		}
	}
	if now.Sub(in.listedAt).Abs() >= b.cfg.PresentEvery {
		listed, err := b.publisher.Listed(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			is, found := listed[name]
			if was, known := in.listed[name]; !found || known && (was.Size != is.Size || !was.Time.Equal(is.Time)) {
				names = append(names, name)
			}
		}
		in.listedAt, in.listed = now, listed
	}
	if !now.Before(in.verifyNext) {
		names = append(names, slices.MinFunc(files, func(a, b string) int { return in.verified[a].Compare(in.verified[b]) }))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// intact notes that a file was read and is intact.
func (in *inspection) intact(name string, now time.Time) {
	if in.verified == nil {
		in.verified, in.refuted = map[string]time.Time{}, map[string]time.Time{}
	}
	in.verified[name], in.refuted[name] = now, now
}

// repaired begins the pause after a repair.
func (in *inspection) repaired(now time.Time) {
	in.pause = min(max(2*in.pause, shortestPause), longestPause)
	in.repairNext = now.Add(in.pause)
	in.verified, in.listed = nil, nil
}

// calm forgets files that are no longer published, and ends the growth of pauses when
// every file has been read and was intact since the last repair.
func (in *inspection) calm(files []string) {
	maps.DeleteFunc(in.verified, func(name string, _ time.Time) bool { return !slices.Contains(files, name) })
	if len(in.verified) == len(files) {
		in.pause = 0
	}
}
