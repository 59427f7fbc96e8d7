package profile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/consolestore"
	"gamedex/internal/pcstore"
	"gamedex/internal/upstream"
)

// Profile is the file of --collect-profile: what an operator allows to be read of
// the stores, and how. Without one nothing is read.
type Profile struct {
	Contact   string            `json:"contact"`
	Hosts     []upstream.Host   `json:"hosts"`     // with their limits; zero means the default
	Intervals collect.Intervals `json:"intervals"` // zero means the default
	Console   json.RawMessage   `json:"consolestore"`
	PC        json.RawMessage   `json:"pcstore"`

	ConsoleStore *consolestore.Profile `json:"-"` // nil: not collected
	PCStore      *pcstore.Profile      `json:"-"`

	read []byte // what is read and when, as JSON without comments, spaces and the order of names
}

// parseDuration reads a duration written as "10m".
func parseDuration(text []byte, d *time.Duration) (err error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("duration %s: want a text such as \"10m\"", text)
	}
	if *d, err = time.ParseDuration(s); err != nil || *d <= 0 {
		return fmt.Errorf("duration %q: want a positive one such as \"10m\"", s)
	}
	return nil
}

// maxProfile bounds the file: a profile of all regions has some 20 KiB.
const maxProfile = 1 << 20

// Read reads and checks the whole file.
func Read(file string) (*Profile, error) {
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
	p := new(Profile)
	if err := p.parse(text); err != nil {
		return nil, fmt.Errorf("--collect-profile %s: %w", file, err)
	}
	return p, nil
}

// parse parses and checks a profile. Lines that begin with # are comments.
func (p *Profile) parse(text []byte) error {
	if err := p.decode(text); err != nil {
		return err
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
		p.ConsoleStore = &console
	}
	if len(p.PC) > 0 {
		pc, err := pcstore.ParseProfile(p.PC)
		if err != nil {
			return err
		}
		p.PCStore = &pc
	}
	if p.ConsoleStore == nil && p.PCStore == nil {
		return errors.New("consolestore, pcstore: at least one is required")
	}
	for _, address := range p.addresses() {
		if u, err := url.Parse(address); err == nil && strings.HasSuffix(u.Hostname(), ".example") {
			return fmt.Errorf("%s: an invented address of the template; fill in the store's", address)
		}
	}
	return nil
}

// decode decodes the JSON of a profile, and keeps what Hash is made of. Errors name the line.
func (p *Profile) decode(text []byte) error {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			lines[i] = nil // keeps the line numbers of errors right
		}
	}
	text = bytes.Join(lines, []byte("\n"))
	options := jsonv2.JoinOptions(jsonv2.RejectUnknownMembers(true), jsonv2.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true),
		jsonv2.WithUnmarshalers(jsonv2.UnmarshalFunc(parseDuration)))
	if err := jsonv2.Unmarshal(text, p, options); err != nil {
		return explain(err, text)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	delete(all, "contact")
	delete(all, "hosts")
	p.read, _ = json.Marshal(all) // it was JSON
	return nil
}

// explain names the line of an error of the decoder.
func explain(err error, text []byte) error {
	at := int64(len(text))
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	if wrong, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		at = wrong.ByteOffset
		field := cmp.Or(strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", "."), "the profile")
		switch {
		case errors.Is(err, jsonv2.ErrUnknownName):
			err = fmt.Errorf("unknown field %q", wrong.JSONPointer.LastToken())
		case wrong.Err == nil: // only the type is wrong
			err = fmt.Errorf("%s: must be %s", field, jsonType(wrong.GoType))
		default:
			err = fmt.Errorf("%s: %w", field, wrong.Err)
		}
	}
	return fmt.Errorf("line %d: %w", 1+bytes.Count(text[:at], []byte("\n")), err)
}

// jsonType names the JSON type of a field.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a number"
}

// Hash returns a text that differs between profiles and flags with which other things are
// read, or at other times. The contact and the limits of hosts are each process's own.
func (p *Profile) Hash(texts, images bool) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%t %t %s", texts, images, p.read))
	return hex.EncodeToString(sum[:8])
}

// Platforms returns the platforms that the profile names.
func (p *Profile) Platforms() (list []catalog.Platform) {
	if p.ConsoleStore != nil {
		list = append(list, catalog.ConsoleStore)
	}
	if p.PCStore != nil {
		list = append(list, catalog.PCStore)
	}
	return list
}

// addresses returns the addresses of the stores' sections.
func (p *Profile) addresses() (urls []string) {
	if p.ConsoleStore != nil {
		urls = append(urls, p.ConsoleStore.GraphQL)
	}
	if p.PCStore != nil {
		urls = append(urls, p.PCStore.GraphQL, p.PCStore.Platform)
	}
	return urls
}

// UpstreamHosts returns the hosts that may be contacted: those in the addresses of
// the stores' sections, with the limits from the section hosts.
func (p *Profile) UpstreamHosts() ([]upstream.Host, error) {
	var hosts []upstream.Host
	used := make(map[string]bool)
	for _, address := range p.addresses() {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		if u.Host == "" || used[u.Host] {
			continue
		}
		used[u.Host] = true
		host := upstream.Host{Name: u.Host}
		if i := slices.IndexFunc(p.Hosts, func(h upstream.Host) bool { return h.Name == u.Host }); i >= 0 {
			host = p.Hosts[i]
		}
		hosts = append(hosts, host)
	}
	for i, h := range p.Hosts {
		if !used[h.Name] {
			return nil, fmt.Errorf("hosts[%d].name %q: no address of the profile has this host (write host or host:port)", i, h.Name)
		}
	}
	return hosts, nil
}

// Registry is the part of the database that knows the profile of each platform.
type Registry interface {
	// AgreeProfile registers a hash, unless the platform has one, and returns the
	// registered one.
	AgreeProfile(ctx context.Context, p catalog.Platform, hash string, now int64) (registered string, at int64, err error)
}

// Agree returns an error with both hashes if a platform of the profile is registered with
// another one: two collectors with different profiles would undo each other's jobs.
// The first collector registers its own.
func (p *Profile) Agree(ctx context.Context, in Registry, hash string, now int64) error {
	for _, platform := range p.Platforms() {
		registered, at, err := in.AgreeProfile(ctx, platform, hash, now)
		if err != nil {
			return err
		}
		if registered != hash {
			return fmt.Errorf("this profile and its flags have the hash %s, but %s is collected with %s, registered at %s: "+
				"use the same file, --collect-texts and --collect-images in all processes; to change to this one, run gamedex collect profile FILE and restart them one by one",
				hash, platform, registered, time.UnixMilli(at).UTC().Format(time.RFC3339))
		}
	}
	return nil
}
