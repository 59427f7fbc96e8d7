package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/serve"
)

// catalogPath is where the API's catalog is; the explorer's questions begin
// with it.
const catalogPath = "/api/v1/catalog/"

// maxAnswer bounds the bytes that the explorer takes of one answer.
const maxAnswer = 8 << 20

// gone says that no card has an id.
type gone struct {
	successors []string // ids of the cards that its listings live in now
}

// Error implements error.
func (g *gone) Error() string { return "no card has this id" }

// ask asks the API in process, in the name of the visitor, for what is at path
// (escaped) under catalogPath. A good answer is decoded into the value behind
// into, and given as it came, too; an id that no card has is a [gone]; another
// refusal is a problem.
func (d *Dashboard) ask(v *web.Visit, path string, query url.Values, into any) (raw []byte, err error) {
	r, err := http.NewRequestWithContext(v.Context(), http.MethodGet, catalogPath+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask the catalog for %s: %w", path, err)
	}
	r.Header.Set("Authorization", "Bearer "+v.User.ID)
	// The API writes the record of the request that it answers; this one's is
	// the page's.
	record := serve.RecordFrom(r.Context())
	kept := *record
	defer func() { *record = kept }()
	a := &answer{header: http.Header{"X-Request-Id": {kept.RequestID}}}
	d.cfg.Catalog.ServeHTTP(a, r)
	if err := a.refusal(); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return nil, fmt.Errorf("read what the catalog answered about %s: %w", path, err)
	}
	return a.body, nil
}

// answer keeps what a handler writes. It is an http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   []byte
	tooBig bool
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter. What is too much is dropped, and said
// by refusal: the handler is not to blame.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if len(a.body)+len(b) > maxAnswer {
		a.tooBig = true
		return len(b), nil
	}
	a.body = append(a.body, b...)
	return len(b), nil
}

// refusal is why there is nothing to show; nil after a good answer.
func (a *answer) refusal() error {
	switch a.status {
	case http.StatusOK:
		if a.tooBig {
			return fmt.Errorf("the catalog answered more than %d bytes", maxAnswer)
		}
		return nil
	case http.StatusNotFound:
		var refused struct {
			Error struct {
				Details struct {
					Successors []string `json:"successors"`
				} `json:"details"`
			} `json:"error"`
		}
		if err := json.Unmarshal(a.body, &refused); err != nil {
			return fmt.Errorf("read why the catalog has no card: %w", err)
		}
		return &gone{refused.Error.Details.Successors}
	case http.StatusTooManyRequests:
		return &web.Problem{Status: a.status, Message: "explore.too-many", Args: []any{a.retryAfter()}, RetryAfter: a.wait()}
	case http.StatusServiceUnavailable:
		return &web.Problem{Status: a.status, Message: "explore.unavailable", RetryAfter: a.wait()}
	}
	return fmt.Errorf("the catalog answered with status %d: %.200s", a.status, a.body)
}

// retryAfter is the number of seconds after which to ask again; at least 1.
func (a *answer) retryAfter() int {
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil {
		return 1
	}
	return max(1, seconds)
}

func (a *answer) wait() time.Duration { return time.Duration(a.retryAfter()) * time.Second }

// asGone finds a gone among the causes of an error; nil if there is none.
func asGone(err error) *gone {
	var g *gone
	if errors.As(err, &g) {
		return g
	}
	return nil
}

// The answers of the API, as far as pages show them. A pointer is nil where
// the API says null.
type (
	searchAnswer struct {
		Data struct {
			Results []searchResult `json:"results"`
			Total   int            `json:"total"`
		} `json:"data"`
	}

	searchResult struct {
		ID        string       `json:"id"`
		Platform  string       `json:"platform"`
		Title     string       `json:"title"`
		Type      string       `json:"type"`
		Thumbnail string       `json:"thumbnail"`
		Price     *simplePrice `json:"price"`
		Regions   []string     `json:"regions"`
	}

	suggestAnswer struct {
		Data struct {
			Suggestions []struct {
				ID       string `json:"id"`
				Platform string `json:"platform"`
				Title    string `json:"title"`
			} `json:"suggestions"`
		} `json:"data"`
	}

	simplePrice struct {
		Value     *int64 `json:"value"`
		Currency  string `json:"currency"`
		Formatted string `json:"formatted"`
		Discount  *struct {
			Percentage    int   `json:"percentage"`
			OriginalPrice int64 `json:"originalPrice"`
		} `json:"discount"`
	}

	cardAnswer struct {
		Data gameCard `json:"data"`
	}

	// gameCard is a card of either store.
	gameCard struct {
		ID          string       `json:"id"`   // console store
		Slug        string       `json:"slug"` // PC store
		Platform    string       `json:"platform"`
		Title       string       `json:"title"`
		Description string       `json:"description"`
		Type        string       `json:"type"`
		Thumbnail   string       `json:"thumbnail"`
		Images      cardImages   `json:"images"`
		ReleaseDate string       `json:"releaseDate"`
		Publisher   string       `json:"publisher"`
		Developer   string       `json:"developer"`
		Genres      []string     `json:"genres"`
		Rating      cardRating   `json:"rating"`
		StoreURL    string       `json:"storeUrl"`
		Price       *simplePrice `json:"price"`
		Variants    []cardLine   `json:"variants"`
		Related     []cardLine   `json:"related"`
		Offers      []cardLine   `json:"offers"`
		Details     cardDetails  `json:"details"`
	}

	cardImages struct {
		Cover string `json:"cover"`
	}

	cardRating struct {
		Age    string `json:"age"`
		System string `json:"system"`
	}

	cardDetails struct {
		EditionName string   `json:"editionName"`
		Platforms   []string `json:"platforms"`
	}

	// cardLine is a variant, a related card or an offer.
	cardLine struct {
		ID    string       `json:"id"`
		Title string       `json:"title"`
		Type  string       `json:"type"`
		Price *simplePrice `json:"price"`
	}

	pricesAnswer struct {
		Data struct {
			Items []struct {
				Regions  map[string]regionPrice `json:"regions"`
				Cheapest *struct {
					Region string `json:"region"`
				} `json:"cheapest"`
			} `json:"items"`
		} `json:"data"`
		Meta struct {
			ExchangeRates *struct {
				UpdatedAt moment `json:"updatedAt"`
			} `json:"exchangeRates"`
		} `json:"meta"`
	}

	regionPrice struct {
		Alpha2          string   `json:"alpha2"`
		BaseText        string   `json:"baseText"`
		CurrentText     string   `json:"currentText"`
		DiscountPercent int      `json:"discountPercent"`
		DiscountEndAt   moment   `json:"discountEndAt"`
		USD             *float64 `json:"usd"`
		IsFree          bool     `json:"isFree"`
		IsTrial         bool     `json:"isTrial"`
		IsSubPlus       bool     `json:"isSubPlus"`
		Source          string   `json:"source"`
		PricedAt        moment   `json:"pricedAt"`
		StoreURL        string   `json:"storeUrl"`
	}
)

// moment is a time of the API in Unix milliseconds; 0 for null and "".
type moment int64

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil || text == "" {
		return err
	}
	at, err := time.Parse(time.RFC3339, text)
	*m = moment(at.UnixMilli())
	return err
}
