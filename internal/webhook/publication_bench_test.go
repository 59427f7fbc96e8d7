package webhook_test

import (
	cryptorand "crypto/rand"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/money"
	"gamedex/internal/webhook"
)

var (
	benchSubscriptions = flag.Int("subscriptions", 2_000, "of BenchmarkPublication")
	benchCards         = flag.Int("cards", 20_000, "in the catalog of BenchmarkPublication")
	benchSending       = flag.Int("sending", 10, "percent of these subscriptions that get a message")
)

// BenchmarkPublication measures the CPU time in which a publication of changes of a tenth of the games
// is compared with all subscriptions, of 100 games each, and the messages are stored and delivered, beside that
// of the build. Some subscriptions want every change, the others price drops, of which there are none.
func BenchmarkPublication(b *testing.B) {
	w := newWorld(b)
	w.every = 100 * time.Millisecond
	delivered := make(chan string, 1<<20)
	w.setReceiver(func(m webhook.Message) (int, http.Header, error) {
		delivered <- m.ID
		return 200, nil, nil
	})
	rng := rand.New(rand.NewPCG(1, 2))
	amounts := make([]money.Amount, *benchCards)
	for n := range amounts {
		amounts[n] = 10_000
		w.set(fmt.Sprintf("G%07d", n), amounts[n])
	}
	w.publish("source")
	wants := 0
	for i := range *benchSubscriptions {
		if i%webhook.MaxOfKey == 0 {
			k, _, err := account.Draft{Name: "k"}.Issue(time.Now().UnixMilli(), cryptorand.Reader)
			if err == nil {
				err = w.db.Accounts.CreateKey(b.Context(), k, account.By{})
			}
			webhook.Must(b, err)
			w.key = k
		}
		ids := make([]string, 100)
		for j := range ids {
			ids[j] = fmt.Sprintf("G%07d", rng.IntN(*benchCards))
		}
		f := webhook.Filter{When: webhook.WhenDrop}
		if i%100 < *benchSending {
			f.When = webhook.WhenChange
			wants++
		}
		w.subscribe(f, ids...)
	}
	kill := w.start()
	defer kill()
	settle := func() {
		for last := cpu(); ; {
			time.Sleep(500 * time.Millisecond)
			now := cpu()
			if now-last < 20*time.Millisecond {
				return
			}
			last = now
		}
	}
	settle()
	runtime.GC()
	var build, evaluate time.Duration
	for b.Loop() {
		for n := range amounts {
			if rng.IntN(10) == 0 {
				amounts[n] += money.Amount(1 + rng.IntN(100))
				w.set(fmt.Sprintf("G%07d", n), amounts[n])
			}
		}
		began := cpu()
		w.publish("source")
		built := cpu()
		build += built - began
		for range wants {
			<-delivered
		}
		settle()
		evaluate += cpu() - built
	}
	b.ReportMetric(float64(build.Milliseconds())/float64(b.N), "build-cpu-ms/op")
	b.ReportMetric(float64(evaluate.Milliseconds())/float64(b.N), "webhook-cpu-ms/op")
	b.ReportMetric(float64(evaluate)/float64(build), "ratio")
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
