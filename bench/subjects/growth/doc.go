// Package growth measures how the service grows with its catalog: the same
// questions to 25,000, 100,000 and 400,000 cards, and what building, opening
// and holding each takes.
package growth
