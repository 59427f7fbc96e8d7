package node

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/registry"
)

// notReady returns why this node cannot answer yet, and what to do about it, or that
// it is about to stop.
func (n *node) notReady() []string {
	select {
	case <-n.ended:
		return []string{"this process is stopping; send requests to another one"}
	default:
	}
	view := n.live.View()
	if view == nil {
		return []string{cmp.Or(n.aboutNewer(nil), n.noListings())}
	}
	if about := n.aboutRegions(view); about != "" && view.Len() == 0 {
		return []string{about}
	}
	if about := n.aboutBehind(view); about != "" {
		return []string{about}
	}
	if damage := n.damage(); damage != nil && n.keys.AsOf() == 0 && !n.PublicPages {
		return []string{"no key is known, so nothing can be answered"} // the warnings say why
	}
	return nil
}

// aboutNewer says that the newest snapshot is of a newer version; "" if it is not.
func (n *node) aboutNewer(view *index.View) string {
	newer := n.newer.Load()
	if newer == nil || view != nil && view.Seq > newer.Seq {
		return ""
	}
	return newer.Error() + ", which this one cannot read: replace this process by that version"
}

// aboutRegions says in which regions games of an index are not served; "" if all are.
func (n *node) aboutRegions(view *index.View) string {
	return builder.AboutRegions(n.ActiveRegions, view.ListedRegions(), view.UnservedRegions())
}

// warnings returns what an operator should know although this node answers.
func (n *node) warnings() []string {
	var list []string // "": nothing
	if view := n.live.View(); view != nil {
		if view.Len() > 0 {
			list = append(list, n.aboutRegions(view))
		}
		list = append(list, cmp.Or(n.aboutNewer(view), n.aboutDamage()))
		if view.Rates.IsZero() {
			if lacks := view.WithoutRate(); len(lacks) > 0 {
				list = append(list, fmt.Sprintf("there are no exchange rates: prices in %s have no usd, and their games no cheapest country; gamedex rates refresh fetches rates, gamedex rates import FILE takes yours", strings.Join(lacks, ", ")))
			}
		}
		for _, p := range view.Platforms {
			if p.Status == catalog.Outage.String() {
				list = append(list, fmt.Sprintf("%s: outage: its listings are no longer kept up to date, see gamedex collect plan", p.Platform))
			}
		}
	}
	if n.builder != nil {
		list = append(list, n.builder.Warnings()...)
	}
	list = append(list, n.nodes.Warnings()...)
	if n.shared != nil && n.shared.Ahead().Abs() > registry.MaxSkew {
		list = append(list, fmt.Sprintf("the clock of this machine differs from the counter server's by %s; synchronize it (NTP)", n.shared.Ahead().Abs()))
	}
	if err := n.trouble(); err != nil {
		list = append(list, err.Error())
	}
	for name, err := range n.watch.All() {
		if err != nil && name != ofDatabase {
			list = append(list, err.Error())
		}
	}
	list = append(list, n.countsAlone())
	if lines, now := n.LogsDropped(); now {
		list = append(list, fmt.Sprintf("log lines are dropped: nothing reads the log fast enough (%d since the start)", lines))
	}
	return slices.DeleteFunc(list, func(about string) bool { return about == "" })
}

// hinted returns the reasons of a function with hints.
func (n *node) hinted(reasons func() []string) func() []string {
	return func() []string {
		list := reasons()
		for i := range list {
			list[i] = n.Hint(list[i])
		}
		return list
	}
}
