// Package browse holds the list of games: the whole catalog with filters, what a search
// finds, and suggestions while somebody types.
//
//	query ─► explore: the API, in process ─► pages of cards ─► explore: one tile a game
//
// It decides nothing about order and what is found: the API does.
package browse
