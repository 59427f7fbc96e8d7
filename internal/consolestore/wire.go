package consolestore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"gamedex/internal/catalog"
)

// The fields that are read of the store's entities. Pictures stay raw, because there are
// many and they are usually not needed.

type concept struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	InvariantName    string          `json:"invariantName"`
	Media            json.RawMessage `json:"media"`
	PersonalizedMeta struct {
		Media json.RawMessage `json:"media"`
	} `json:"personalizedMeta"`
	Price    *cost             `json:"price"`
	Products []json.RawMessage `json:"products"`
}

// product is one edition, add-on or demo. A pointer or a raw value distinguishes "not
// in the answer" from "empty".
type product struct {
	ID             string            `json:"id"`
	Name           string            `json:"name"`
	InvariantName  string            `json:"invariantName"`
	TitleID        string            `json:"npTitleId"`
	Concept        *concept          `json:"concept"`
	Edition        json.RawMessage   `json:"edition"`
	TopCategory    string            `json:"topCategory"`
	Classification string            `json:"storeDisplayClassification"`
	Platforms      *[]string         `json:"platforms"`
	Publisher      string            `json:"publisherName"`
	ReleaseDate    string            `json:"releaseDate"`
	Descriptions   *[]description    `json:"descriptions"`
	AllGenres      []genre           `json:"combinedLocalizedGenres"`
	Genres         []genre           `json:"localizedGenres"`
	Rating         *contentRating    `json:"contentRating"`
	Stars          *stars            `json:"starRating"`
	Media          json.RawMessage   `json:"media"`
	BoxArt         json.RawMessage   `json:"boxArt"`
	Price          *cost             `json:"price"`
	Actions        []json.RawMessage `json:"webctas"`
}

type edition struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type description struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type genre struct {
	Value string `json:"value"`
}

type contentRating struct {
	Authority string `json:"authority"`
	Name      string `json:"name"`
}

type stars struct {
	Total number `json:"totalRatingsCount"`
}

type action struct {
	Type  string      `json:"type"`
	Price actionPrice `json:"price"`
}

// actionPrice is the price of an action. cost is nil for a null, and for an action
// without the member, which says nothing about the price.
type actionPrice struct {
	*cost
	present bool // the action has the member
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *actionPrice) UnmarshalJSON(raw []byte) error {
	p.present = true
	return json.Unmarshal(raw, &p.cost)
}

// cost is a price. In actions it has numbers; in lists it usually has none.
type cost struct {
	BaseText       string    `json:"basePrice"`
	CurrentText    string    `json:"discountedPrice"`
	Base           number    `json:"basePriceValue"`
	Current        number    `json:"discountedValue"`
	Currency       string    `json:"currencyCode"`
	Label          string    `json:"discountText"`
	EndsAt         timestamp `json:"endTime"`
	Free           bool      `json:"isFree"`
	Tied           bool      `json:"isTiedToSubscription"`
	Exclusive      bool      `json:"isExclusive"`
	Services       []string  `json:"serviceBranding"`
	UpsellServices []string  `json:"upsellServiceBranding"`
	UpsellText     string    `json:"upsellText"`
	Applicability  string    `json:"applicability"`
	SKU            string    `json:"skuId"`
	// Qualifications are conditions for the discounted price.
	Qualifications []qualification `json:"qualifications"`
	RewardID       string          `json:"rewardId"` // of offers, separated by commas
}

type qualification struct {
	Type string `json:"type"`
}

// isOwnership reports whether the condition is to own another product or a membership.
func (q qualification) isOwnership() bool { return q.Type == "ENTITLED_TO" }

type pageInfo struct {
	Total  number `json:"totalCount"`
	IsLast *bool  `json:"isLast"`
}

// number is a whole number, with or without quotes, or null.
type number struct {
	n     int64
	known bool
}

const maxNumber = 1e13

// UnmarshalJSON implements json.Unmarshaler.
func (v *number) UnmarshalJSON(raw []byte) error {
	*v = number{}
	if isNull(raw) {
		return nil
	}
	n, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		return fmt.Errorf("%.40s is not a whole number of 0 or more", raw)
	}
	*v = number{n, true}
	return nil
}

// timestamp is a time: milliseconds with or without quotes, or RFC 3339. Anything else means
// no time, because a price must not be lost for an invalid end of a discount.
type timestamp catalog.Millis

// UnmarshalJSON implements json.Unmarshaler.
func (m *timestamp) UnmarshalJSON(raw []byte) error {
	*m = 0
	s := string(bytes.Trim(raw, `"`))
	ms, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return nil
		}
		ms = t.UnixMilli()
	}
	if ms > 0 && ms <= maxMillis {
		*m = timestamp(ms)
	}
	return nil
}

const maxMillis = 253402300799999 // the end of the year 9999

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// maxEntries is larger than any list of the store. It bounds the memory, because decoded
// entries have up to a hundred times their original size.
const maxEntries = 10_000

// decodeEach decodes the entries of a list one by one. It omits invalid entries and those
// after maxEntries; whole reports whether it omitted none.
func decodeEach[T any](list []json.RawMessage) (entries []T, whole bool) {
	whole = len(list) <= maxEntries
	for _, raw := range list[:min(len(list), maxEntries)] {
		var entry T
		if isNull(raw) || json.Unmarshal(raw, &entry) != nil {
			whole = false
			continue
		}
		entries = append(entries, entry)
	}
	return entries, whole
}

var idForm = regexp.MustCompile(`^[!-~]{1,128}$`)

func isID(s string) bool { return idForm.MatchString(s) }
