package demo

import (
	"hash/fnv"
	"strconv"
)

// hash returns a number for some words that looks random but is always the same.
func hash(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{0})
	}
	n := h.Sum64() // its low bits are weak: mix them
	n ^= n >> 32
	n *= 0x9e3779b97f4a7c15
	return n ^ n>>29
}

func code(n uint64, length int) string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	b := make([]byte, length)
	for i := range b {
		b[i] = alphabet[n%32]
		n /= 32
	}
	return string(b)
}

// titleID returns the id of the game's software on one console and storefront.
func (g *game) titleID(console string, front string) string {
	prefix := "PPSA"
	if console == "4" {
		prefix = "CUSA"
	}
	number := g.number * 3
	switch front {
	case "UP":
		number++
	case "JP":
		number += 2
	}
	return prefix + strconv.Itoa(90000+number)
}

// consoleProduct returns the console store's id of a product: a sample publisher, the title
// id and a label. console is "4", "5" or "45". As in real stores, the Americas and Japan
// have different ids; so have a few games in Turkey.
func (g *game) consoleProduct(p *product, console string, m market) string {
	words := []string{"product", g.name, string(p.kind), p.name, console}
	if m.currency == "TRY" && hash("own ids", g.name)%9 == 0 {
		words = append(words, "TR")
	}
	label := "SAMPLE" + code(hash(words...), 10)
	return m.front + "0000-" + g.titleID(console, m.front) + "_00-" + label
}

func (g *game) pcProduct(p *product) string {
	return "sample-" + code(hash("offer", g.name, string(p.kind), p.name), 12)
}
