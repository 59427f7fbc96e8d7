//go:build ignore

package main

import (
	"cmp"
	"encoding/json"
	"errors"
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
	seconds, err := strconv.Atoi(cmp.Or(os.Getenv("POLL_SECONDS"), "900"))
	if err != nil {
		log.Fatal(err)
	}
	interval := time.Duration(seconds) * time.Second
	etag, growing := "", time.Second
	for {
		wait := interval
		response, err := poll(&etag)
		if err == nil {
			growing = time.Second
		} else {
			growing = min(2*growing, interval)
			wait = pause(response, growing)
			log.Printf("%v; again in %v", err, wait)
		}
		time.Sleep(wait)
	}
}

// poll prints the prices if they have another tag than etag. After an error,
// response is nil if there was no answer, or only a part of it.
func poll(etag *string) (response *http.Response, err error) {
	request, err := http.NewRequest("GET", list, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	request.Header.Set("If-None-Match", *etag)
	client := http.Client{Timeout: 30 * time.Second}
	response, err = client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status == http.StatusOK:
		var answer pricesAnswer
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return nil, err
		}
		for _, game := range answer.Data.Items {
			for region, price := range game.Regions {
				fmt.Println(game.Title, region, price.CurrentText)
			}
		}
		*etag = response.Header.Get("ETag")
	case status == http.StatusNotModified:
		fmt.Println("no change")
	case status == http.StatusTooManyRequests || status >= 500:
		err = errors.New(response.Status)
	default:
		log.Fatal(response.Status)
	}
	return response, err
}

// pause returns what Retry-After asks for, seconds or a date, up to a day.
func pause(response *http.Response, otherwise time.Duration) time.Duration {
	if response == nil {
		return otherwise
	}
	value, wait := response.Header.Get("Retry-After"), otherwise
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(min(seconds, 86400)) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = time.Until(date)
	}
	return min(max(wait, time.Second), 24*time.Hour)
}
