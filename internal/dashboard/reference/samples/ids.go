//go:build ignore

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
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
	response, prices := send("POST", "/catalog/prices", body)
	if response.StatusCode != http.StatusOK {
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
	response, card := send("GET", "/catalog/games/ABCD0000", nil)
	switch response.StatusCode {
	case http.StatusOK:
		fmt.Println("card:", card.Data.Title)
	case http.StatusNotFound:
		fmt.Println("successors:", strings.Join(card.Error.Details.Successors, " "))
	default:
		log.Fatal(card.Error.Message)
	}
}

// send returns an answer. It tries again while the service restarts or is busy.
func send(method, path string, body []byte) (*http.Response, answer) {
	client := http.Client{Timeout: 30 * time.Second}
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequest(method, base+path, bytes.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
		request.Header.Set("Content-Type", "application/json")
		wait := time.Second << attempt
		response, err := client.Do(request)
		if err == nil {
			var a answer
			err = json.NewDecoder(response.Body).Decode(&a)
			response.Body.Close()
			busy := response.StatusCode == 429 || response.StatusCode >= 500
			if err == nil && (!busy || attempt == 7) {
				return response, a
			}
			if busy {
				err = errors.New(response.Status)
				wait = pause(response, wait)
			}
		}
		if attempt == 7 {
			log.Fatal(err)
		}
		log.Printf("%v; again in %v", err, wait)
		time.Sleep(wait)
	}
}

// pause returns what Retry-After asks for, seconds or a date, up to a day.
func pause(response *http.Response, otherwise time.Duration) time.Duration {
	value, wait := response.Header.Get("Retry-After"), otherwise
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(min(seconds, 86400)) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = time.Until(date)
	}
	return min(max(wait, time.Second), 24*time.Hour)
}
