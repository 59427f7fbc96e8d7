package subjects

import (
	"context"
	"strings"
	"testing"

	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

func TestSweepsAndBareUpdatesMarkEveryListing(t *testing.T) {
	s, err := newSweeping(t.Context(), newPostgres(t), sample.New(1, 150))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(t.Context())
	for name, f := range map[string]func(context.Context) error{
		"sweep":       func(ctx context.Context) error { return s.sweep(ctx, 70) },
		"bare update": func(ctx context.Context) error { return s.update(ctx, 70) },
	} {
		if v, err := s.candidate(name, f).Round(t.Context()); err != nil || v[harness.RowsRate] <= 0 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
	_, err = s.candidate("nothing", func(context.Context) error { return nil }).Round(t.Context())
	if err == nil || !strings.Contains(err.Error(), "0 of 600 listings were seen") {
		t.Errorf("a side that does nothing: %v", err)
	}
}
