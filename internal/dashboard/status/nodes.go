package status

import (
	"strings"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/registry"
)

// maxNodeLines is how many nodes the table has.
const maxNodeLines = 100

// nodesPanel is the processes that serve from the database.
type nodesPanel struct {
	Different []string        // settings with the nodes that disagree
	Epochs    string          // nodes that read different epochs of the database; "" if none do
	Shared    []string        // names that several live nodes have
	Skewed    []registry.Node // live nodes whose clock is off
	Lines     []nodeLine
	LeftOut   int
}

type nodeLine struct {
	registry.Node
	Live          bool
	Roles         string
	Started, Seen int64 // by the clock of this process
	Clock         string
}

// nodesPanel returns the panel, or nil if there is one node, with nothing wrong.
func (p *Pages) nodesPanel(v *web.Visit) *nodesPanel {
	if p.stores.Registry == nil {
		return nil
	}
	list := p.stores.Registry.List()
	panel := &nodesPanel{Shared: list.SharedNames()}
	for _, d := range list.Disagreements() {
		if d.Flag != "" {
			panel.Different = append(panel.Different, d.String())
		} else {
			panel.Epochs = d.String()
		}
	}
	ahead := v.Now() - list.At
	for _, n := range list.Nodes {
		if list.IsLive(n) && n.Skewed() {
			panel.Skewed = append(panel.Skewed, n)
		}
		panel.Lines = append(panel.Lines, nodeLine{
			Node: n, Live: list.IsLive(n), Roles: strings.Join(n.Roles, ", "),
			Started: n.Started + ahead, Seen: n.Seen + ahead, Clock: v.Decimal(float64(n.Ahead)/1000, 1),
		})
	}
	if len(panel.Lines) < 2 && panel.Skewed == nil {
		return nil
	}
	if len(panel.Lines) > maxNodeLines {
		panel.LeftOut = len(panel.Lines) - maxNodeLines
		panel.Lines = panel.Lines[:maxNodeLines]
	}
	return panel
}
