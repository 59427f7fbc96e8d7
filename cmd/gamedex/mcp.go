package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"gamedex/internal/mcp"
)

type mcpCommand struct {
	API string `name:"api" placeholder:"URL" help:"URL of the service (default: that of the server that started last in the data folder, or http://127.0.0.1:8080)."`
}

// Run serves one assistant over standard input and output, which carry only the protocol.
func (c *mcpCommand) Run(ctx context.Context, p *program, all *commands) error {
	address := all.lastURL
	if c.API != "" {
		if !isWebURL(c.API) {
			return fmt.Errorf("--api %s: must be a URL such as http://127.0.0.1:8080", c.API)
		}
		address = func() (string, error) { return strings.TrimSuffix(strings.TrimRight(c.API, "/"), "/api/v1"), nil }
	}
	key := os.Getenv("GAMEDEX_KEY")
	if key == "" {
		p.warn("GAMEDEX_KEY is not set: the service will refuse all requests")
	}
	return mcp.Run(ctx, mcp.NewClient(address, key), version, p.Stdin, p.Stdout)
}
