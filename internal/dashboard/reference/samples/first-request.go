//go:build ignore

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
)

const base = "https://games.example/api/v1"

type searchAnswer struct {
	Data struct {
		Results []struct {
			ID    string
			Title string
			Price *struct{ Formatted string }
		}
	}
	Error struct{ Message string }
}

func main() {
	query := url.Values{"q": {"elden ring"}, "limit": {"3"}}
	address := base + "/catalog/search?" + query.Encode()
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer searchAnswer
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatal(answer.Error.Message)
	}
	for _, game := range answer.Data.Results {
		price := "no price"
		if game.Price != nil {
			price = game.Price.Formatted
		}
		fmt.Printf("%s: %s, %s\n", game.ID, game.Title, price)
	}
}
