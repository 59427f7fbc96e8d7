//go:build ignore

package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
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
	request, err := http.NewRequest("GET", base+"/catalog/search?q=a", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("GAMEDEX_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		log.Fatal(err)
	}
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
