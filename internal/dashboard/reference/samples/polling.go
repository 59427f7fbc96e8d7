//go:build ignore

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	base = "https://games.example/api/v1"
	list = base + "/catalog/prices?ids=2FBCCD98,elden-ring"
)

type pricesAnswer struct {
	Data struct {
		Items []struct {
			Title   string
			Regions map[string]struct{ CurrentText string }
		}
	}
}

func main() {
	interval, err := strconv.Atoi(cmp.Or(os.Getenv("POLL_SECONDS"), "900"))
	if err != nil {
		log.Fatal(err)
	}
	etag := ""
	for {
		wait := interval
		if etag, err = poll(etag, &wait); err != nil {
			log.Fatal(err)
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

// poll prints the prices unless etag is still theirs, and returns their tag.
// If the service asks for it, the next request has to wait longer.
func poll(etag string, wait *int) (string, error) {
	request, err := http.NewRequest("GET", list, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	request.Header.Set("If-None-Match", etag)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
		var answer pricesAnswer
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return "", err
		}
		for _, game := range answer.Data.Items {
			for region, price := range game.Regions {
				fmt.Println(game.Title, region, price.CurrentText)
			}
		}
		return response.Header.Get("ETag"), nil
	case http.StatusNotModified:
		fmt.Println("no change")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		*wait, err = strconv.Atoi(response.Header.Get("Retry-After"))
		fmt.Printf("wait %d s\n", *wait)
	default:
		err = fmt.Errorf("status %s", response.Status)
	}
	return etag, err
}
