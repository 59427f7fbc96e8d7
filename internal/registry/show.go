package registry

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Warnings returns what an operator should correct: clocks that are off, settings that
// should be the same, and names that should differ.
func (l List) Warnings() (list []string) {
	for _, n := range l.Live() {
		if n.Skewed() {
			list = append(list, fmt.Sprintf("the clock of %s differs from the database's by %s; synchronize it (NTP)", n.Name, clockText(n.Ahead)))
		}
	}
	return append(list, l.conflicts()...)
}

// conflicts returns what should be the same on all live nodes, but is not, and the names
// that several have.
func (l List) conflicts() (list []string) {
	for _, d := range l.Disagreements() {
		if d.Flag != "" {
			list = append(list, "nodes have different values of "+d.String())
			continue
		}
		list = append(list, "nodes read different epochs of the database: "+d.String()+
			"; after a failover or a restore this lasts a few seconds; if it lasts longer, the nodes reach different servers, or their database roles have different privileges")
	}
	for _, name := range l.SharedNames() {
		list = append(list, fmt.Sprintf("several nodes are named %s; give each its own --node-name", name))
	}
	return list
}

// clockText returns how far a clock is ahead: "+2.4s".
func clockText(ahead int64) string { return fmt.Sprintf("%+.1fs", float64(ahead)/1000) }

func timestamp(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.RFC3339) }

// state returns whether a node of the list is live, as a word.
func (l List) state(n Node) string {
	if l.IsLive(n) {
		return "live"
	}
	return "gone"
}

// WriteTable writes the nodes as a table, and then the warnings.
func (l List) WriteTable(w io.Writer) error {
	if len(l.Nodes) == 0 {
		_, err := fmt.Fprintln(w, "no process serves from this database")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tROLES\tVERSION\tMANIFEST\tSTARTED\tSEEN\tCLOCK\tSTATE")
	for _, n := range l.Nodes {
		age := time.Duration(max(l.At-n.Seen, 0)) * time.Millisecond
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s ago\t%s\t%s\n", n.Name, strings.Join(n.Roles, ","), n.Version, n.Seq,
			timestamp(n.Started), age.Round(time.Second), clockText(n.Ahead), l.state(n))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, warning := range l.Warnings() {
		if _, err := fmt.Fprintln(w, warning); err != nil {
			return err
		}
	}
	return nil
}

type nodeShown struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Roles      []string `json:"roles"`
	Version    string   `json:"version"`
	Epoch      string   `json:"epoch,omitempty"`
	Manifest   int64    `json:"manifest"`
	StartedAt  string   `json:"startedAt"`
	SeenAt     string   `json:"seenAt"`
	ClockAhead float64  `json:"clockAheadSeconds"`
	Live       bool     `json:"live"`
}

type listShown struct {
	Nodes    []nodeShown `json:"nodes"`
	Warnings []string    `json:"warnings"`
}

// Shown returns the nodes and the warnings as a value to be written as JSON.
func (l List) Shown() any {
	shown := listShown{Nodes: make([]nodeShown, len(l.Nodes)), Warnings: append([]string{}, l.Warnings()...)}
	for i, n := range l.Nodes {
		shown.Nodes[i] = nodeShown{ID: n.ID, Name: n.Name, Roles: n.Roles, Version: n.Version, Epoch: n.Epoch, Manifest: n.Seq,
			StartedAt: timestamp(n.Started), SeenAt: timestamp(n.Seen), ClockAhead: float64(n.Ahead) / 1000, Live: l.IsLive(n)}
	}
	return shown
}
