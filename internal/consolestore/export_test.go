package consolestore

import (
	"context"
	"encoding/json"

	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// reply returns one answer to every query, without a network.
type reply upstream.Reply

func (r reply) Ask(context.Context, upstream.Persisted) (upstream.Reply, error) {
	return upstream.Reply(r), nil
}

// Decode returns the page that results from data as the answer to a job's
// query.
func Decode(cfg Config, job sweep.Job, from string, data json.RawMessage, faults ...upstream.GraphError) (sweep.Page, error) {
	cfg.Client = reply{Data: data, Errors: faults}
	return New(cfg).Read(context.Background(), job, from)
}

// PlainText is applied to descriptions, Canonical to locales, ReleaseDate to dates.
var (
	PlainText   = plainText
	Canonical   = canonical
	ReleaseDate = releaseDate
)
