// Package webhook sends changes of prices to receivers of API clients, as signed messages of
// Standard Webhooks 1.0.0.
//
//	Draft ──Issue──► Subscription (stored) + what is served now of its games
//
//	new view ─► games that changed ─► their subscriptions ─► rules ─► one message (stored)
//	                                                                       │ tries: 5 s … 24 h
//	receiver ◄── POST, signed, to public addresses only ◄──────────────────┘
//
// A [Subscription] is a filter and a cursor that moves: nothing is queued. It has at most one
// undelivered message, stored with its id and bytes, so that all tries are equal; later changes
// follow from the cursor, once it is delivered. So messages arrive in order and at least once.
//
// What was last sent of a game is stored with the subscription, because a price drop is one compared
// with that. Exchange rates, trials, prices for subscribers and doubtful prices do not change it.
//
// A subscription to deals has the games of a list that changes. Those that enter or leave it are compared with
// those that were sent; subscriptions with the same filter share the list.
//
// The package refuses to know SQL and the API. All times are Unix milliseconds, all amounts
// hundredths.
package webhook
