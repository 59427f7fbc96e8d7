//go:build clients

// The program uses the Go client that a test makes of the OpenAPI document, in
// client.gen.go beside it. It prints what it finds, a line for each request.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	_ "github.com/oapi-codegen/runtime" // the generated client imports it
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, server, key string) error {
	client, err := NewClientWithResponses(server, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	platform, related := SearchParamsPlatformConsolestore, true
	found, err := client.SearchWithResponse(ctx, &SearchParams{Q: "elden ring", Platform: &platform, IncludeRelated: &related})
	if err != nil || found.JSON200 == nil || len(found.JSON200.Data.Results) == 0 {
		return fmt.Errorf("search: %v, %w", found, err)
	}
	first := found.JSON200.Data.Results[0]
	fmt.Println("search", found.JSON200.Data.Total, first.Id, first.Title, *first.Price.Value)

	card, err := client.ConsoleCardWithResponse(ctx, first.Id, nil)
	if err != nil || card.JSON200 == nil {
		return fmt.Errorf("card: %v, %w", card, err)
	}
	fmt.Println("card", card.JSON200.Data.Id, card.JSON200.Data.Publisher, len(card.JSON200.Data.Variants))

	regions := "UA,TR"
	prices, err := client.PostPricesWithResponse(ctx, PricesRequest{Ids: []string{first.Id, "no-such-game"}, Regions: &regions})
	if err != nil || prices.JSON200 == nil || len(prices.JSON200.Data.Items) != 1 {
		return fmt.Errorf("prices: %v, %w", prices, err)
	}
	item := prices.JSON200.Data.Items[0]
	fmt.Println("prices", *item.Regions["UA"].Current, item.Cheapest.Usd, item.UpdatedAt.UnixMilli(), prices.JSON200.Data.NotFound[0])

	missing, err := client.ConsoleCardWithResponse(ctx, "00000000", nil)
	if err != nil || missing.JSON404 == nil {
		return fmt.Errorf("missing card: %v, %w", missing, err)
	}
	fmt.Println("error", missing.StatusCode(), missing.JSON404.Error.Code, missing.JSON404.Error.Details.GameId)
	return nil
}
