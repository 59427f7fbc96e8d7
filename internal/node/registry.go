package node

import (
	"math/rand/v2"
	"strconv"

	"gamedex/internal/catalog"
	"gamedex/internal/registry"
)

// The names of roles.
const (
	roleAPI     = "api"
	roleBuild   = "build"
	roleCollect = "collect"
)

// newRegistrar returns the registrar of this node.
func (n *node) newRegistrar() *registry.Registrar {
	return registry.New(registry.Config{
		Repository: n.DB.Nodes, Epoch: n.keys.Epoch, Now: n.Now, Rand: rand.Float64, Log: n.Log,
		Self: registry.Node{ID: ProcessID(), Name: n.NodeName, Version: n.Version, Roles: n.Roles, Settings: n.settings()},
		Serving: func() int64 {
			if view := n.live.View(); view != nil {
				return view.Seq
			}
			return 0
		},
		Damaged: n.damaged,
	})
}

// settings returns what should be the same on all nodes, as far as this one uses it.
func (n *node) settings() registry.Settings {
	s := registry.Settings{}
	s.Set("active-regions", catalog.JoinRegions(n.ActiveRegions, ","))
	if n.Roles.has(roleAPI) || n.Roles.has(roleBuild) {
		webhooks := "off"
		if n.Webhooks {
			webhooks = "on"
		}
		s.Set("webhooks", webhooks)
	}
	if n.Roles.has(roleAPI) {
		s.Set("counters", n.countedAt())
		s.Set("limit-minute", strconv.Itoa(n.Limits.Minute))
		s.Set("limit-day", strconv.Itoa(n.Limits.Day))
		s.Set("console-name", n.ConsoleName)
		s.Set("pc-name", n.PCName)
	}
	return s
}
