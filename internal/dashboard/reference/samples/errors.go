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
	OK    bool
	Error struct {
		Code    string
		Details struct{ Field, Constraint string }
	}
}

func main() {
	// The query is too short.
	response, a := send("GET", "/catalog/search?q=a", nil)
	if !a.OK {
		fmt.Println("status:", response.StatusCode)
		fmt.Println("code:", a.Error.Code)
		if a.Error.Code == "INVALID_PARAMS" {
			fmt.Println("field:", a.Error.Details.Field, a.Error.Details.Constraint)
		}
		if response.StatusCode >= 500 {
			fmt.Println("request id:", response.Header.Get("X-Request-Id"))
		}
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
