package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/upstream/netguard"
)

// The limits of subscriptions.
const (
	MaxOfKey  = 5       // subscriptions of a key
	MaxAll    = 100_000 // subscriptions of all keys
	MaxGames  = 1000    // games of a subscription
	MaxPrices = 20_000  // its games times its regions
	MaxURLLen = 2000    // bytes
	MaxTries  = 50      // the last tries of a subscription that are kept
	MaxAmount = 1e15    // hundredths

	secretBytes = 32
)

// Why a repository refuses a subscription. It wraps account.ErrNotFound for an id without one.
var (
	ErrTooMany   = fmt.Errorf("this key has %d webhooks, the most that a key may have", MaxOfKey)
	ErrFull      = fmt.Errorf("this service has %d webhooks, the most that it may have", MaxAll)
	ErrDealsFull = fmt.Errorf("the webhooks of this service have %d different filters of deals, the most that they may have", MaxDeals)
)

// When says which changes of a game are sent.
type When string

// The kinds of changes.
const (
	WhenChange When = "change" // anything that is served of the game, in the regions of the subscription
	WhenDrop   When = "drop"   // a price is lower than what was last sent
	WhenDeal   When = "deal"   // a discount has begun
	WhenBelow  When = "below"  // a price has fallen below the amount
)

// Filter is what a subscription is about.
type Filter struct {
	Games   []string // cards as [GameID] names them, sorted, each once; with Deals those that were last sent
	Deals   string   // "?" and the query of GET /catalog/deals, see params.ReadDeals; "": Games were chosen
	Regions selection.Regions
	When    When
	Amount  int64 // with WhenBelow: hundredths of the currency of the only region; else 0
}

// GameID returns the name of a card in a subscription: its platform and id, as in
// "pcstore/elden-ring".
func GameID(c index.Card) string { return c.Platform().String() + "/" + c.ID() }

// ParseGameID is the reverse of [GameID]; ok is false if the text is not a name of a card.
func ParseGameID(game string) (p catalog.Platform, id string, ok bool) {
	platform, id, _ := strings.Cut(game, "/")
	p, err := catalog.ParsePlatform(platform)
	return p, id, err == nil && id != ""
}

// Cursor says up to which snapshot a subscription was evaluated, and at what time. See bulk.Cursor.
type Cursor struct {
	Source uint64 // the database, its epoch and lineage, in which Seq counts
	Seq    int64  // of the snapshot
	At     int64
}

// CursorOf returns the cursor of a view at now.
func CursorOf(v *index.View, now int64) Cursor { return Cursor{Source: v.Source, Seq: v.Seq, At: now} }

// Subscription is a stored subscription.
type Subscription struct {
	ID        string // "whk_" and 26 sortable characters
	KeyID     string // whose subscription it is
	URL       string // of the receiver
	Secret    string // "whsec_" and base64: signs messages; to be shown once and never logged
	CreatedAt int64
	Filter
	OffAt     int64  // when it was turned off; 0: it is on
	OffReason string // why, in words; "": it is on
	Cursor    Cursor
	Message   Message // the undelivered one; ID is "" without one
	Ping      bool    // a ping was requested and is not sent yet
	Version   int64   // rises with every change
}

// Message is a message that is to be delivered, the same in all tries.
type Message struct {
	ID       string // "msg_" and 26 sortable characters
	Body     []byte
	Failures int   // tries that failed
	NextTry  int64 // when the next one is due; 0: at once
}

// Try is one try to deliver a message.
type Try struct {
	At        int64
	MessageID string
	Status    int    // of the answer; 0: there was none
	Error     string // why there was no answer; "" with one
	Took      int64  // milliseconds
}

// Delivered reports whether the receiver took the message.
func (t Try) Delivered() bool { return t.Status >= 200 && t.Status < 300 }

// Listed is a subscription as lists of many show it: without its games.
type Listed struct {
	Subscription
	GameCount         int
	FirstGame         string // "": none
	Last, LastFailure Try    // of the tries that are kept; At is 0 if there is none
}

// Listed returns the subscription as lists show it, without its tries.
func (s *Subscription) Listed() *Listed {
	l := &Listed{Subscription: *s, GameCount: len(s.Games)}
	if len(s.Games) > 0 {
		l.FirstGame = s.Games[0]
	}
	return l
}

// Host returns the host of the receiver in lower case, without its port.
func (s *Subscription) Host() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Why a subscription is off, unless its tries failed.
const (
	OffByOwner = "turned off by its owner"
	OffByAdmin = "turned off by an administrator"
	OffGone    = "the receiver answered 410: gone"
)

// TurnOff turns a subscription off; reason says why, for its owner.
func (s *Subscription) TurnOff(now int64, reason string) {
	if s.OffAt == 0 {
		s.OffAt, s.OffReason = now, reason
	}
}

// TurnOn turns a subscription on again. It continues where it stopped, and its message is due at
// once.
func (s *Subscription) TurnOn() {
	if s.OffAt != 0 {
		s.OffAt, s.OffReason = 0, ""
		s.Message.Failures, s.Message.NextTry = 0, 0
	}
}

// Repository keeps subscriptions, for the API.
type Repository interface {
	// Create stores a new subscription with what is served of its games. It returns ErrTooMany or
	// ErrFull, or wraps account.ErrNotFound if there is no such key.
	Create(ctx context.Context, s Subscription, served []Served) error
	// Find returns a subscription, whose key the caller compares; it wraps account.ErrNotFound if
	// there is none.
	Find(ctx context.Context, id string) (Subscription, error)
	// ListOf returns the subscriptions of a key, oldest first.
	ListOf(ctx context.Context, keyID string) ([]Subscription, error)
	// Update applies change to a subscription and stores its URL, whether it is off, and when
	// its message is due. An error of change is returned as it is, and nothing is stored. change can
	// run again after a transaction that stored nothing.
	Update(ctx context.Context, id string, change func(*Subscription) error) (Subscription, error)
	// Delete deletes a subscription with all that belongs to it.
	Delete(ctx context.Context, id string) error
	// RequestPing requests a ping, which is sent after the message that is not delivered yet.
	RequestPing(ctx context.Context, id string) error
	// Tries returns the last MaxTries tries of a subscription, newest first.
	Tries(ctx context.Context, id string) ([]Try, error)
}

// Hosts are the names of the hosts that the operator allows as receivers although they are private,
// in lower case and without ports. They may also use plain HTTP.
type Hosts []string

// Draft is the request for a new subscription.
type Draft struct {
	URL string
	Filter
}

// CheckURL returns an error that says what a URL must be, if messages cannot be sent to it. Names are not
// resolved: their addresses are checked whenever a message is sent.
func CheckURL(text string, allowed Hosts) error {
	u, err := url.Parse(text)
	if err != nil || len(text) > MaxURLLen || u.Hostname() == "" || u.User != nil || u.Fragment != "" ||
		strings.ContainsFunc(u.Host, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("it must be a URL of at most %d bytes with an ASCII host, without a user and a fragment", MaxURLLen)
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); strings.HasSuffix(u.Host, ":"+u.Port()) && (err != nil || port == 0) {
		return errors.New("its port must be 1 to 65535")
	}
	isAllowed := slices.Contains(allowed, strings.ToLower(u.Hostname()))
	if u.Scheme != "https" && (!isAllowed || u.Scheme != "http") {
		return errors.New("it must be https; plain http is only for hosts that the operator allows")
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !isAllowed && netguard.Private(addr) {
		return errors.New("it must be at a public address; the operator can allow others")
	}
	return nil
}

// RegionsText returns regions as text that package params reads: "all", "" for the active ones, or
// codes with commas between them.
func RegionsText(r selection.Regions) string {
	if r.All {
		return "all"
	}
	codes := make([]string, len(r.Codes))
	for i, code := range r.Codes {
		codes[i] = code.String()
	}
	return strings.Join(codes, ",")
}

// ParseRegionsText is the reverse of [RegionsText].
func ParseRegionsText(text string) (r selection.Regions, err error) {
	if text == "all" {
		return selection.Regions{All: true}, nil
	}
	for code := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		region := selection.EuroArea
		if code != region.String() {
			if region, err = catalog.ParseRegion(code); err != nil {
				return r, err
			}
		}
		r.Codes = append(r.Codes, region)
	}
	return r, nil
}

// Served is what is remembered of a game of a subscription: what was last sent of it, or served when
// the subscription began. Only the rules of this package read the state.
type Served struct {
	Game  string
	State []byte // empty: nothing is known of the game, or it was sent as a deal
}

// Outcome is what a turn of the sender stores together with a subscription.
type Outcome struct {
	Served     []Served // what is remembered of games from now on, games that are new to the subscription too
	Gone       []string // games that it no longer has
	NewMessage bool     // its message is a new one
	Try        *Try     // to deliver its message; nil: none
}

// Issue returns a new subscription of a key, which begins with the view at now, and what is served of
// its games or deals. The caller has checked the draft. It fails only if random does.
func (d Draft) Issue(keyID string, v *index.View, now int64, random io.Reader) (Subscription, []Served, error) {
	id, err := newID(idPrefix, now, random)
	var secret [secretBytes]byte
	if err == nil {
		_, err = io.ReadFull(random, secret[:])
	}
	if err != nil {
		return Subscription{}, nil, fmt.Errorf("new webhook: %w", err)
	}
	s := Subscription{
		ID: id, KeyID: keyID, URL: d.URL, Secret: "whsec_" + base64.StdEncoding.EncodeToString(secret[:]),
		CreatedAt: now, Filter: d.Filter, Cursor: CursorOf(v, now), Version: 1,
	}
	if d.Deals != "" {
		s.Games = slices.Sorted(maps.Keys(findDeals(d.Deals, v, now)))
		served := make([]Served, len(s.Games))
		for i, game := range s.Games {
			served[i].Game = game
		}
		return s, served, nil
	}
	s.Games = slices.Sorted(slices.Values(d.Games))
	s.Games = slices.Compact(s.Games)
	return s, s.servedNow(v, now), nil
}

// IsID reports whether a text has the form of the id of a subscription. Others are not looked up: a database
// can refuse their characters.
func IsID(text string) bool {
	random, ok := strings.CutPrefix(text, idPrefix)
	_, err := ulid.ParseStrict(random)
	return ok && err == nil
}

// idPrefix begins the ids of subscriptions.
const idPrefix = "whk_"

// newID returns a prefix and a ULID of now.
func newID(prefix string, now int64, random io.Reader) (string, error) {
	id, err := ulid.New(uint64(max(now, 0)), random)
	return prefix + id.String(), err
}
