package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"gamedex/internal/collect"
	"gamedex/internal/consolestore"
	"gamedex/internal/pcstore"
	"gamedex/internal/upstream"
)

// profile is the file of --collect-profile: what an operator allows to be read of
// the stores, and how. Without one nothing is read.
type profile struct {
	Contact   string          `json:"contact"`
	Hosts     []hostProfile   `json:"hosts"`
	Intervals intervals       `json:"intervals"`
	Console   json.RawMessage `json:"consolestore"`
	PC        json.RawMessage `json:"pcstore"`

	console *consolestore.Profile // nil: not collected
	pc      *pcstore.Profile
}

// hostProfile has the limits of a host; absent fields have defaults.
type hostProfile struct {
	Name              string   `json:"name"`
	RequestsPerSecond float64  `json:"requestsPerSecond"`
	Concurrent        int      `json:"concurrent"`
	Timeout           duration `json:"timeout"`
	MaxBytes          int64    `json:"maxBytes"`
	Attempts          int      `json:"attempts"`
	PrivateAddresses  bool     `json:"privateAddresses"`
	IgnoreRobots      bool     `json:"ignoreRobots"`
	StopFor           duration `json:"stopFor"`
}

// intervals are the times from one sweep of a kind to the next.
type intervals struct {
	Prices      duration `json:"prices"`
	Editions    duration `json:"editions"`
	AddOns      duration `json:"addons"`
	Titles      duration `json:"titles"`
	Details     duration `json:"details"`
	OtherPrices duration `json:"otherPrices"`
	OtherRest   duration `json:"otherRest"`
}

// duration is a time.Duration written as "10m".
type duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("duration %s: want a text such as \"10m\"", text)
	}
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return fmt.Errorf("duration %q: want a positive one such as \"10m\"", s)
	}
	*d = duration(v)
	return nil
}

// maxProfile bounds the file: a profile of all regions has some 20 KiB.
const maxProfile = 1 << 20

// readProfile reads and checks the whole file.
func readProfile(file string) (*profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--collect-profile: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxProfile+1))
	if err != nil {
		return nil, fmt.Errorf("--collect-profile: %w", err)
	}
	if len(text) > maxProfile {
		return nil, fmt.Errorf("--collect-profile %s: more than %d bytes", file, maxProfile)
	}
	p := new(profile)
	if err := p.parse(text); err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", file, err)
	}
	return p, nil
}

// parse parses and checks a profile. Lines that begin with # are comments.
func (p *profile) parse(text []byte) error {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			lines[i] = nil // keeps the line numbers of errors right
		}
	}
	text = bytes.Join(lines, []byte("\n"))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		read := dec.InputOffset()
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			read = syntax.Offset
		}
		return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(int(read), len(text))], []byte("\n")), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON object")
	}

	if p.Contact == "" {
		return errors.New("contact: required: an address at which the stores can reach you")
	}
	for i, h := range p.Hosts {
		if h.Name == "" {
			return fmt.Errorf("hosts[%d].name: required", i)
		}
	}
	if len(p.Console) > 0 {
		console, err := consolestore.ParseProfile(p.Console)
		if err != nil {
			return err
		}
		p.console = &console
	}
	if len(p.PC) > 0 {
		pc, err := pcstore.ParseProfile(p.PC)
		if err != nil {
			return err
		}
		p.pc = &pc
	}
	if p.console == nil && p.pc == nil {
		return errors.New("consolestore, pcstore: at least one is required")
	}
	return nil
}

// upstreamHosts returns the hosts that may be contacted: those in the addresses of
// the stores' sections, with the limits from the section hosts.
func (p *profile) upstreamHosts() ([]upstream.Host, error) {
	var urls []string
	if p.console != nil {
		urls = append(urls, p.console.GraphQL)
	}
	if p.pc != nil {
		urls = append(urls, p.pc.GraphQL, p.pc.Platform)
	}
	var hosts []upstream.Host
	used := make(map[string]bool)
	for _, address := range urls {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		if u.Host == "" || used[u.Host] {
			continue
		}
		used[u.Host] = true
		hosts = append(hosts, p.host(u.Host))
	}
	for i, h := range p.Hosts {
		if !used[h.Name] {
			return nil, fmt.Errorf("hosts[%d].name %q: no address of the profile has this host (write host or host:port)", i, h.Name)
		}
	}
	return hosts, nil
}

func (p *profile) host(name string) upstream.Host {
	for _, h := range p.Hosts {
		if h.Name == name {
			return upstream.Host{
				Name: name, RequestsPerSecond: h.RequestsPerSecond, Concurrent: h.Concurrent, Timeout: time.Duration(h.Timeout),
				MaxBytes: h.MaxBytes, Attempts: h.Attempts, PrivateAddresses: h.PrivateAddresses, IgnoreRobots: h.IgnoreRobots,
				StopFor: time.Duration(h.StopFor),
			}
		}
	}
	return upstream.Host{Name: name}
}

// sweepIntervals returns the file's intervals; zero means the default.
func (p *profile) sweepIntervals() collect.Intervals {
	i := &p.Intervals
	return collect.Intervals{
		Prices: time.Duration(i.Prices), Editions: time.Duration(i.Editions), AddOns: time.Duration(i.AddOns),
		Titles: time.Duration(i.Titles), Details: time.Duration(i.Details),
		OtherPrices: time.Duration(i.OtherPrices), OtherRest: time.Duration(i.OtherRest),
	}
}
