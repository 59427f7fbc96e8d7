// Command makefeed writes the catalog of the measurements in the feed format:
//
//	go run ./makefeed -cards 100000 -regions 60 > feed.ndjson
package main

import (
	"flag"
	"fmt"
	"os"

	"gamedex/bench/sample"
)

func main() {
	cards := flag.Int("cards", 100_000, "number of cards")
	regions := flag.Int("regions", 4, fmt.Sprintf("number of regions, at most %d", sample.MaxRegions))
	seed := flag.Uint64("seed", 1, "seed")
	flag.Parse()
	if err := sample.New(*seed, *cards).WriteFeed(os.Stdout, *regions); err != nil {
		fmt.Fprintln(os.Stderr, "makefeed:", err)
		os.Exit(1)
	}
}
