// Package cards encodes the answers about cards: a card, search results and
// suggestions, pages of cards and of deals.
//
//	View, card, hits or page ─► Encoder ─► respond.Body
//
// Pages of the same process get more than clients: pages.go has the versions of a game and their
// prices. With a deal they get cheapestPrice, if another country is the cheapest.
//
// # What it refuses
//
// It sees no request: package api reads the parameters, finds cards, hits and pages, and
// appends the envelope.
package cards
