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
	batchItems  = 50  // saved together, at most
	batchParts  = 200
	batchEvery  = time.Second
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
		p := &itemPass{run: r, batch: r.newBatch(r.at()), stop: make(chan struct{})}
		if err := p.readAll(ctx, ids); err != nil || r.gaveWay {
			return err
		}
	}
}

// An itemPass reads a number of items and saves them.
type itemPass struct {
	*run
	batch  *sweep.Batch
	stop   chan struct{} // closed to start no further items
	halted bool          // stop is closed
	failed int           // items in a row that could not be read
	err    error         // ended the pass early
}

// itemResult is the result of reading one item.
type itemResult struct {
	id   string
	at   catalog.Millis // before the request
	page sweep.Page
	err  error
}

// readAll handles the results as they arrive, and always all of them.
func (p *itemPass) readAll(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := p.startReaders(ctx, ids)
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	for {
		full := false
		select {
		case a, more := <-results:
			if !more {
				saved := p.flush(ctx)
				return cmp.Or(p.err, saved)
			}
			p.addResult(a)
			full = len(p.batch.Read)+len(p.batch.Retry) >= batchItems || len(p.batch.Parts) >= batchParts
		case <-tick.C:
			full = true
		}
		if !full {
			continue
		}
		if err := p.flush(ctx); err != nil {
			p.abort(err)
			cancel() // further results cannot be saved either
		} else if !p.halted && p.mustGiveWay(ctx, cmp.Or(p.slice, itemSlice)) {
			p.gaveWay = true
			p.stopReading()
		}
	}
}

// startReaders starts goroutines that read the items. It returns the channel of
// the results, which is closed after the last.
func (p *itemPass) startReaders(ctx context.Context, ids []string) <-chan itemResult {
	queue, results := make(chan string), make(chan itemResult)
	go func() {
		defer close(queue)
		for _, id := range ids {
			select {
			case queue <- id:
			case <-p.stop:
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
				case <-p.stop: // may have been closed when the item was sent
				default:
					a := itemResult{id: id, at: p.at()}
					func() {
						defer recoverPanic(&a.err)
						a.page, a.err = p.source.Read(ctx, p.job, id)
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

// addResult adds a result to the batch, or handles its failure.
func (p *itemPass) addResult(a itemResult) {
	if a.err == nil {
		p.answered, p.failed = true, 0
		p.forgetFailures(a.id)
		p.batch.At = min(p.batch.At, a.at)
		addPage(p.batch, a.page)
		p.batch.Read = append(p.batch.Read, a.id)
		return
	}
	p.countFailed(a.err)
	p.unread = fmt.Errorf("%s: %w", a.id, a.err)
	if !ownFault(a.err) {
		p.abort(fmt.Errorf("item %s: %w", a.id, a.err))
		return
	}
	p.batch.Interrupted = true
	failures := 0
	p.remember(func(m *memory) {
		if len(m.failures) >= maxFailedItems {
			clear(m.failures)
		}
		m.failures[a.id]++
		failures = m.failures[a.id]
	})
	if failures < maxFailuresOfItem {
		p.batch.Retry = append(p.batch.Retry, a.id)
	} else {
		p.forgetFailures(a.id)
		p.batch.Read = append(p.batch.Read, a.id)
	}
	if p.failed++; p.failed >= maxFailuresInRow {
		p.abort(fmt.Errorf("%d items in a row cannot be read, the last one %s: %w", p.failed, a.id, a.err))
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

// abort keeps the first error and ends the pass after the reads under way.
func (p *itemPass) abort(err error) {
	if p.err == nil {
		p.err = err
	}
	p.stopReading()
}

func (p *itemPass) stopReading() {
	if !p.halted {
		p.halted = true
		close(p.stop)
	}
}

// flush saves what has been read and begins the next batch.
func (p *itemPass) flush(ctx context.Context) error {
	if len(p.batch.Read)+len(p.batch.Retry) == 0 {
		return nil
	}
	p.batch.RetryAt = p.at() + millisOf(retryItem)
	done := len(p.batch.Read) + len(p.batch.Retry)
	if err := p.save(ctx, p.batch); err != nil {
		return err
	}
	p.done += done
	p.onProgress(p.done)
	p.batch = p.newBatch(p.at())
	return nil
}
