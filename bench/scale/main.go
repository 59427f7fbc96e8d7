package main

import (
	"flag"
	"fmt"
)

// The tables of doc/scale.md are made with these.
const (
	docSeed = 1
	docDays = 2
)

func main() {
	seed := flag.Uint64("seed", docSeed, "seed of requests and outages")
	days := flag.Int("days", docDays, "simulated days of limits")
	flag.Parse()
	fmt.Println(limitsTable(*seed, *days))
	fmt.Print(publishTable(*seed))
}
