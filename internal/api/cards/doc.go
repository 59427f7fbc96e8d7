// Package cards encodes the answers about cards: a card, search results and
// suggestions.
//
//	View, card or hits ─► Encoder ─► respond.Body
//
// # What it refuses
//
// It sees no request: package api reads the parameters, finds cards and hits, and
// appends the envelope.
package cards
