package main

import (
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/node"
)

type platformCommand struct {
	Set platformSet `cmd:"" help:"Override the status of a platform; auto removes the override."`
}

type platformSet struct {
	Platform string `arg:"" help:"consolestore or pcstore."`
	Status   string `arg:"" enum:"operational,degraded,outage,auto" help:"operational, degraded, outage or auto."`
}

// Run sets the override; running servers show it within a second.
func (s *platformSet) Run(ctx context.Context, p *program, c *commands) error {
	platform, err := catalog.ParsePlatform(s.Platform)
	if err != nil {
		return err
	}
	status := s.Status
	if status == "auto" {
		status = ""
	}
	return c.with(ctx, false, func(db *database.DB) error {
		if err := db.Nodes.SetPlatform(ctx, platform, status, node.ByCommand(p.Now())); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "%s: %s\n", platform, s.Status)
		return err
	})
}
