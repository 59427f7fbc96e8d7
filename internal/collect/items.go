package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// Items are read several at once and saved together, so that they do not wait for
// the disk.
const (
	itemReaders = 4
	itemsAtOnce = 200 // in one query
	stepItems   = 50  // saved together, at most
	stepParts   = 200
	stepEvery   = time.Second
	retryItem   = 10 * time.Minute

	maxFailuresInRow  = 5 // of different items; then the run ends
	maxFailuresOfItem = 3 // then the item waits for the next sweep
)

// readItems reads the items that are due, and those that the sweep under way has
// not read yet.
func (r *run) readItems(ctx context.Context) error {
	for {
		ids, err := r.cfg.Database.DueItems(ctx, r.job.Scope, r.at(), itemsAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		b := &batch{run: r, step: r.newStep(r.at()), stop: make(chan struct{})}
		if err := b.readAll(ctx, ids); err != nil || r.gaveWay {
			return err
		}
	}
}

// A batch is a number of items that are read and saved.
type batch struct {
	*run
	step   *sweep.Step
	stop   chan struct{} // closed to start no further items
	halted bool          // stop is closed
	failed int           // items in a row that could not be read
	err    error         // ended the batch early
}

// itemResult is the result of reading one item.
type itemResult struct {
	id   string
	at   catalog.Millis // before the request
	page sweep.Page
	err  error
}

// readAll handles the results as they arrive, and always all of them.
func (b *batch) readAll(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := b.startReaders(ctx, ids)
	tick := time.NewTicker(stepEvery)
	defer tick.Stop()
	for {
		full := false
		select {
		case a, more := <-results:
			if !more {
				saved := b.flush(ctx)
				return cmp.Or(b.err, saved)
			}
			b.addResult(a)
			full = len(b.step.Read)+len(b.step.Retry) >= stepItems || len(b.step.Parts) >= stepParts
		case <-tick.C:
			full = true
		}
		if !full {
			continue
		}
		if err := b.flush(ctx); err != nil {
			b.abort(err)
			cancel() // further results cannot be saved either
		} else if !b.halted && b.mustGiveWay(ctx, cmp.Or(b.slice, itemSlice)) {
			b.gaveWay = true
			b.stopReading()
		}
	}
}

// startReaders starts goroutines that read the items. It returns the channel of
// the results, which is closed after the last.
func (b *batch) startReaders(ctx context.Context, ids []string) <-chan itemResult {
	queue, results := make(chan string), make(chan itemResult)
	go func() {
		defer close(queue)
		for _, id := range ids {
			select {
			case queue <- id:
			case <-b.stop:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	var readers sync.WaitGroup
	for range itemReaders {
		readers.Go(func() {
			for id := range queue {
				select {
				case <-b.stop: // may have been closed when the item was sent
				default:
					a := itemResult{id: id, at: b.at()}
					func() {
						defer recoverPanic(&a.err)
						a.page, a.err = b.source.Read(ctx, b.job, id)
					}()
					results <- a
				}
			}
		})
	}
	go func() {
		readers.Wait()
		close(results)
	}()
	return results
}

// addResult adds a result to the step, or handles its failure.
func (b *batch) addResult(a itemResult) {
	if a.err == nil {
		b.answered, b.failed = true, 0
		b.forgetFailures(a.id)
		b.step.At = min(b.step.At, a.at)
		addPage(b.step, a.page)
		b.step.Read = append(b.step.Read, a.id)
		return
	}
	if !ownFault(a.err) {
		b.abort(fmt.Errorf("item %s: %w", a.id, a.err))
		return
	}
	b.step.Interrupted = true
	failures := 0
	b.remember(func(m *memory) {
		if len(m.failures) >= maxFailedItems {
			clear(m.failures)
		}
		m.failures[a.id]++
		failures = m.failures[a.id]
	})
	if failures < maxFailuresOfItem {
		b.step.Retry = append(b.step.Retry, a.id)
	} else {
		b.forgetFailures(a.id)
		b.step.Read = append(b.step.Read, a.id)
	}
	if b.failed++; b.failed >= maxFailuresInRow {
		b.abort(fmt.Errorf("%d items in a row cannot be read, the last one %s: %w", b.failed, a.id, a.err))
	}
}

// ownFault reports whether err concerns one page or item only, so that others may
// succeed.
func ownFault(err error) bool {
	if up, ok := errors.AsType[*upstream.Error](err); ok {
		switch up.Kind {
		case upstream.Broken, upstream.Refused, upstream.NotFound:
			return true
		}
		return false
	}
	_, bug := errors.AsType[*panicked](err)
	return !bug && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// abort keeps the first error and ends the batch after the reads under way.
func (b *batch) abort(err error) {
	if b.err == nil {
		b.err = err
	}
	b.stopReading()
}

func (b *batch) stopReading() {
	if !b.halted {
		b.halted = true
		close(b.stop)
	}
}

// flush saves what has been read and begins the next step.
func (b *batch) flush(ctx context.Context) error {
	if len(b.step.Read)+len(b.step.Retry) == 0 {
		return nil
	}
	b.step.RetryAt = b.at() + millisOf(retryItem)
	done := len(b.step.Read) + len(b.step.Retry)
	if err := b.save(ctx, b.step); err != nil {
		return err
	}
	b.done += done
	b.onProgress(b.done)
	b.step = b.newStep(b.at())
	return nil
}
