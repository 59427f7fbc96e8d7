package subjects

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"gamedex/bench/harness"
)

// callers send the same request again and again, each with a pause after every answer.
type callers struct {
	client http.Client
	cancel context.CancelFunc
	ended  chan error
	n      int

	mu   sync.Mutex
	took []time.Duration // in this phase
}

// startCallers starts n callers that send GET requests for a path, each with its own key. They run until stop.
func startCallers(ctx context.Context, node *harness.Service, path string, n int, pause time.Duration) *callers {
	ctx, cancel := context.WithCancel(ctx)
	c := &callers{client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}, cancel: cancel, ended: make(chan error, n), n: n}
	for i := range n {
		request := getRequests([]string{path}, node.Keys[i:])[0]
		go func() {
			var err error
			for err == nil && ctx.Err() == nil {
				began := time.Now()
				_, _, err = request.FetchBy(ctx, &c.client, node.URL)
				c.note(time.Since(began))
				time.Sleep(pause)
			}
			if ctx.Err() != nil {
				err = nil // the last request was cut off
			}
			c.ended <- err
		}()
	}
	return c
}

func (c *callers) note(took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, took)
}

// phase returns how long the answers since the last phase took.
func (c *callers) phase() harness.Values {
	c.mu.Lock()
	took := c.took
	c.took = nil
	c.mu.Unlock()
	if len(took) == 0 {
		return harness.Values{answers: 0}
	}
	v := harness.Percentiles(took)
	v[answers], v[longest] = float64(len(took)), float64(took[len(took)-1].Microseconds())
	return v
}

// stop returns the error of a request that failed.
func (c *callers) stop() error {
	c.cancel()
	var errs []error
	for range c.n {
		errs = append(errs, <-c.ended)
	}
	c.client.CloseIdleConnections()
	return errors.Join(errs...)
}
