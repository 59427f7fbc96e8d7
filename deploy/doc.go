// Package deploy has no code: its tests check the files beside it, without an engine.
//
//	compose.yaml ──────► compose-go        ┐
//	kubernetes/  ──────► kustomize, strict ┼─► every flag and GAMEDEX_… against doc/config.md
//	alerts, dashboard ─► PromQL            ┴─► every metric against doc/operations/monitoring.md
//
// A test of cmd/gamedex compares the metrics of that page with those of a
// running service.
package deploy
