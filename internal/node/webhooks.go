package node

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"math/rand/v2"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/lease"
	"gamedex/internal/webhook"
)

// webhooksEvery is how often the sender of webhooks looks for changes.
const webhooksEvery = 500 * time.Millisecond

// newSender returns what sends messages to the receivers of webhooks.
func (n *node) newSender() *webhook.Sender {
	for _, outcome := range []string{webhook.Delivered, webhook.Failed, webhook.TurnedOff} {
		n.metrics.webhookTries.WithLabelValues(outcome) // a rate needs a zero to begin with
	}
	return &webhook.Sender{
		Outbox: n.DB.Webhooks, View: n.live.View, Works: n.mayReceive,
		Leases: lease.Holder{Repository: n.DB.Nodes, ID: ProcessID(), TTL: leaseTTL},
		Client: webhook.NewClient(n.WebhookHosts, "gamedex/"+n.Version), Every: webhooksEvery,
		Now: n.now, Rand: rand.Float64, Random: cryptorand.Reader, Log: n.Log,
		Observe: func(outcome string) { n.metrics.webhookTries.WithLabelValues(outcome).Inc() },
	}
}

// mayReceive reports whether a key works and may have webhooks, so that they are sent.
func (n *node) mayReceive(ctx context.Context, keyID string) (bool, error) {
	k, err := n.DB.Accounts.FindKeyByID(ctx, keyID)
	if errors.Is(err, account.ErrNotFound) {
		return false, nil
	}
	works := k.Status(n.nowMillis()) == account.StatusActive && k.Permissions.Has(account.WriteWebhooks)
	return works && err == nil, err
}
