// Package resolve finds the cards that people mean by what they have: titles as other shops
// write them, ids and links.
package resolve
