package consolestore

import (
	"context"
	"encoding/json"

	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// reply answers every question alike, without a network.
type reply upstream.Reply

func (r reply) Ask(context.Context, upstream.Persisted) (upstream.Reply, error) {
	return upstream.Reply(r), nil
}

// Decode gives the page that data, answered to a question of a job, becomes.
func Decode(cfg Config, job sweep.Job, from string, data json.RawMessage, faults ...upstream.GraphError) (sweep.Page, error) {
	s := New(cfg)
	s.client = reply{Data: data, Errors: faults}
	return s.Read(context.Background(), job, from)
}

// PlainText is what descriptions go through, ReleaseDate what dates do.
var (
	PlainText   = plainText
	ReleaseDate = releaseDate
)
