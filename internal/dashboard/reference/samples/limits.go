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
	"time"
)

const base = "https://games.example/api/v1"

type answer struct {
	Data  struct{ Day struct{ Remaining int } }
	Error struct{ Message string }
}

func main() {
	response, a := send("GET", "/account/usage", nil)
	if response.StatusCode != http.StatusOK {
		log.Fatal(a.Error.Message)
	}
	left := response.Header.Get("X-RateLimit-Remaining-Minute")
	fmt.Println(left, "requests left in this minute")
	fmt.Println(a.Data.Day.Remaining, "requests left today")
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
