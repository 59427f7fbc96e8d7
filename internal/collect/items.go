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

// How items are read: several at once, and saved together so that the disk is
// not what they wait for.
const (
	itemReaders = 4
	itemsAtOnce = 200 // asked of the database
	stepItems   = 50  // saved together, at most
	stepParts   = 200
	stepEvery   = time.Second
	retryItem   = 10 * time.Minute
	missesInRow = 5 // different items that end a run
	missesOfOne = 3 // after which an item waits for the next sweep
)

// readItems reads what is due, and what the sweep under way has not read yet.
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

// batch is some items that are read and saved.
type batch struct {
	*run
	step   *sweep.Step
	stop   chan struct{} // closed: no further item is begun
	halted bool          // stop is closed
	row    int           // items in a row that could not be read
	err    error         // what ended the batch early
}

// answer is what came of one item.
type answer struct {
	id   string
	at   catalog.Millis // when it was asked for
	page sweep.Page
	err  error
}

// readAll takes the answers as they come, and always all of them.
func (b *batch) readAll(ctx context.Context, ids []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := b.ask(ctx, ids)
	tick := time.NewTicker(stepEvery)
	defer tick.Stop()
	for {
		full := false
		select {
		case a, more := <-answers:
			if !more {
				saved := b.flush(ctx)
				return cmp.Or(b.err, saved)
			}
			b.addAnswer(a)
			full = len(b.step.Read)+len(b.step.Retry) >= stepItems || len(b.step.Parts) >= stepParts
		case <-tick.C:
			full = true
		}
		if !full {
			continue
		}
		if err := b.flush(ctx); err != nil {
			b.abort(err)
			cancel() // what is on its way cannot be saved either
		} else if !b.halted && b.mustGiveWay(ctx, cmp.Or(b.slice, itemSlice)) {
			b.gaveWay = true
			b.stopReading()
		}
	}
}

// ask has a few readers read the items; the channel is closed after the last.
func (b *batch) ask(ctx context.Context, ids []string) <-chan answer {
	queue, answers := make(chan string), make(chan answer)
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
				case <-b.stop: // may be closed just as the item is handed over
				default:
					a := answer{id: id, at: b.at()}
					func() {
						defer recoverPanic(&a.err)
						a.page, a.err = b.source.Read(ctx, b.job, id)
					}()
					answers <- a
				}
			}
		})
	}
	go func() {
		readers.Wait()
		close(answers)
	}()
	return answers
}

// addAnswer adds an answer to the step, or decides what its failure means.
func (b *batch) addAnswer(a answer) {
	if a.err == nil {
		b.answered, b.row = true, 0
		b.forgetMiss(a.id)
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
	misses := 0
	b.remember(func(m *memory) {
		if len(m.misses) >= maxMisses {
			clear(m.misses)
		}
		m.misses[a.id]++
		misses = m.misses[a.id]
	})
	if misses < missesOfOne {
		b.step.Retry = append(b.step.Retry, a.id)
	} else {
		b.forgetMiss(a.id)
		b.step.Read = append(b.step.Read, a.id)
	}
	if b.row++; b.row >= missesInRow {
		b.abort(fmt.Errorf("%d items in a row cannot be read, the last one %s: %w", b.row, a.id, a.err))
	}
}

// ownFault reports whether other items may succeed after this failure.
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

// abort keeps the first error; the batch ends with what is on its way.
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
	b.tell(b.done)
	b.step = b.newStep(b.at())
	return nil
}
