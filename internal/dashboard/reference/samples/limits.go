//go:build ignore

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const base = "https://games.example/api/v1"

func main() {
	response, err := get("/account/usage")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var usage struct {
		Data struct{ Day struct{ Remaining int } }
	}
	if err := json.NewDecoder(response.Body).Decode(&usage); err != nil {
		log.Fatal(err)
	}
	fmt.Println(usage.Data.Day.Remaining, "requests left today")
}

// get returns an answer. It waits for as long as the service asks for.
func get(path string) (*http.Response, error) {
	request, err := http.NewRequest("GET", base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	for {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		switch response.StatusCode {
		case http.StatusOK:
			left := response.Header.Get("X-RateLimit-Remaining-Minute")
			fmt.Println(left, "requests left in this minute")
			return response, nil
		case http.StatusTooManyRequests, http.StatusServiceUnavailable:
			response.Body.Close()
			wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
			if err != nil {
				return nil, err
			}
			fmt.Printf("wait %d s\n", wait)
			time.Sleep(time.Duration(wait) * time.Second)
		default:
			response.Body.Close()
			return nil, fmt.Errorf("status %s", response.Status)
		}
	}
}
