//go:build ignore

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const base = "https://games.example/api/v1"

type answer struct {
	Data struct {
		Title string              // of a card
		Moved map[string][]string // of bulk prices
	}
	Error struct {
		Message string
		Details struct{ Successors []string }
	}
}

func main() {
	// Bulk prices: replace the ids that have moved, and store the list again.
	stored := []string{"ABCD0000", "elden-ring"}
	body, err := json.Marshal(map[string]any{"ids": stored, "regions": "UA"})
	if err != nil {
		log.Fatal(err)
	}
	status, prices := call("POST", "/catalog/prices", bytes.NewReader(body))
	if status != http.StatusOK {
		log.Fatal(prices.Error.Message)
	}
	var ids []string
	for _, id := range stored {
		if newer, ok := prices.Data.Moved[id]; ok {
			ids = append(ids, newer...)
		} else {
			ids = append(ids, id)
		}
	}
	fmt.Println("ids:", strings.Join(ids, " "))

	// One card: the 404 names the cards that have its listings now.
	status, card := call("GET", "/catalog/games/ABCD0000", nil)
	switch status {
	case http.StatusOK:
		fmt.Println("card:", card.Data.Title)
	case http.StatusNotFound:
		fmt.Println("successors:", strings.Join(card.Error.Details.Successors, " "))
	default:
		log.Fatal(card.Error.Message)
	}
}

func call(method, path string, body io.Reader) (status int, a answer) {
	request, err := http.NewRequest(method, base+path, body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		log.Fatal(err)
	}
	return response.StatusCode, a
}
