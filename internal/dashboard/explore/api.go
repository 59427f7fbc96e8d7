package explore

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// APIPath begins the API paths that the explorer calls.
const APIPath = "/api/v1/catalog/"

// maxResponse bounds a response of the API, in bytes.
const maxResponse = 8 << 20

// CardGoneError is the answer that no card has an id.
type CardGoneError struct {
	Served bool         `json:"served"` // a card had it once
	Cards  []ListedCard `json:"cards"`  // that have its listings now
}

// Error implements error.
func (*CardGoneError) Error() string { return "no card has this id" }

// RefusedError is an answer of the API with status 400, 403 or 409.
type RefusedError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details struct {
		CardGoneError        // of a 404
		Field         string `json:"field"` // of INVALID_PARAMS, as is Constraint
		Constraint    string `json:"constraint"`
	} `json:"details"`
}

// Error implements error.
func (e *RefusedError) Error() string { return "the API refused the request: " + e.Code }

// Call sends a request to the API in process, with the visitor as the caller.
// The path is escaped and relative to APIPath. It decodes a response with
// status 200 into the value that into points to. It
// fails with a [CardGoneError] if no card has the id, with a [RefusedError] if the API
// refuses the parameters, and with a problem if it refuses for another reason.
func (e *Explorer) Call(v *web.Visit, path string, query url.Values, into any) error {
	visitor := overview.Visitor{Currency: v.Locale.Currency}
	if v.User != nil {
		visitor.UserID = v.User.ID
	}
	if country, err := catalog.ParseRegion(v.Locale.Country); err == nil {
		visitor.Country = country
	}
	for _, l := range v.Languages() {
		visitor.Languages = append(visitor.Languages, catalog.Language(l.Code))
	}
	body, err := Request(v, e.API(visitor), http.MethodGet, APIPath+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the API's response for %s: %w", path, err)
	}
	return nil
}

// Request sends a request with a body in JSON to the API in process, and returns the body of a response that is no failure.
func Request(v *web.Visit, api http.Handler, method, address string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(v.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call the API at %s: %w", address, err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer := web.Call(api, r, maxResponse)
	return answer.Body, failure(answer)
}

// List calls the API for a list with at most limit games, each once.
func (e *Explorer) List(v *web.Visit, path string, query url.Values, limit int) (List, error) {
	query = maps.Clone(query)
	query.Set("distinct", "games")
	query.Set("lang", v.Lang())
	query.Set("limit", strconv.Itoa(limit))
	var answer struct {
		Data List `json:"data"`
	}
	err := e.Call(v, path, query, &answer)
	return answer.Data, err
}

// failure returns why there is nothing to show; nil if the API did what it was asked for.
func failure(a *web.Answer) error {
	switch a.Status {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted:
		if a.Size > maxResponse {
			return fmt.Errorf("the API answered more than %d bytes", maxResponse)
		}
		return nil
	case http.StatusNotFound, http.StatusBadRequest, http.StatusForbidden, http.StatusConflict:
		var answer struct {
			Error RefusedError `json:"error"`
		}
		if err := json.Unmarshal(a.Body, &answer); err != nil {
			return fmt.Errorf("read why the API refused a request: %w", err)
		}
		if a.Status == http.StatusNotFound {
			return &answer.Error.Details.CardGoneError
		}
		return &answer.Error
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		seconds, _ := strconv.Atoi(a.Header().Get("Retry-After"))
		seconds = max(1, seconds)
		p := &web.Problem{Status: a.Status, Message: "explore.unavailable", RetryAfter: time.Duration(seconds) * time.Second}
		if a.Status == http.StatusTooManyRequests {
			p.Message, p.Args = "explore.too-many", []any{seconds}
		}
		return p
	}
	return fmt.Errorf("the API answered with status %d: %.200s", a.Status, a.Body)
}

// The responses of the API, as far as pages show them. A pointer is nil for null.
type (
	// ListedCard is a result of a search, or a card of another list.
	ListedCard struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		Type      string `json:"type"`
		Thumbnail string `json:"thumbnail"`
		Game      Game   `json:"game"`
	}

	// Game is what tiles show of the game of a card.
	Game struct {
		StoreTitle string       `json:"storeTitle"` // on its page, in the visitor's country; ""
		Titles     []string     `json:"titles"`     // on its page: by language of the site
		Editions   int          `json:"editions"`   // others than that of the card
		Versions   []Version    `json:"versions"`   // the card first
		Best       int          `json:"best"`       // the version with the lowest price
		Offer      *RegionPrice `json:"offer"`      // of that version; nil: not for sale
	}

	// Version is a card of a game: the game for some devices in a store.
	Version struct {
		ID        string       `json:"id"`
		Platform  string       `json:"platform"`
		Title     string       `json:"title"`
		Platforms []string     `json:"platforms"`
		Offer     *RegionPrice `json:"offer"` // on the page of a card
	}

	// List is a page of cards or deals, what a search finds, or suggestions.
	List struct {
		Items       []ListedCard `json:"items"`
		Results     []ListedCard `json:"results"`
		Suggestions []ListedCard `json:"suggestions"`
		Total       int          `json:"total"`
		NextCursor  string       `json:"nextCursor"`
	}

	// PricesAnswer is the answer with bulk prices.
	PricesAnswer struct {
		Data struct {
			Items []struct {
				ID              string                 `json:"id"`
				Title           string                 `json:"title"`
				Regions         map[string]RegionPrice `json:"regions"`
				RegionsCount    int                    `json:"regionsCount"`
				ComparedRegions int                    `json:"comparedRegions"`
				Cheapest        *struct {
					Region string `json:"region"`
				} `json:"cheapest"`
				CheapestPrice *RegionPrice `json:"cheapestPrice"`
			} `json:"items"`
			Moved map[string][]string `json:"moved"` // ids that succeed a former one
		} `json:"data"`
		Regions []string `json:"regions"` // keys of all regions, in order
		Meta    struct {
			ExchangeRates *struct {
				UpdatedAt Timestamp `json:"updatedAt"`
			} `json:"exchangeRates"`
		} `json:"meta"`
	}

	// RegionPrice is the price of a card in one region. Base, Current and Converted.Value are
	// in hundredths.
	RegionPrice struct {
		Alpha2          string    `json:"alpha2"`
		Currency        string    `json:"currency"`
		Base            *int64    `json:"base"`
		Current         *int64    `json:"current"`
		CurrentText     string    `json:"currentText"`
		DiscountPercent int       `json:"discountPercent"`
		DiscountEndAt   Timestamp `json:"discountEndAt"`
		USD             *float64  `json:"usd"`
		IsFree          bool      `json:"isFree"`
		IsTrial         bool      `json:"isTrial"`
		IsSubPlus       bool      `json:"isSubPlus"`
		Edition         string    `json:"edition"`
		Source          string    `json:"source"`
		PricedAt        Timestamp `json:"pricedAt"`
		Since           Timestamp `json:"since"` // of a row with lows: when the price began; 0: not known
		StoreURL        string    `json:"storeUrl"`
		Lows            *Lows     `json:"lows"`

		Converted *Converted `json:"converted"`

		// Cheapest is the price in the cheapest of all countries; nil if that is not known. The API answers it
		// beside the prices of a card, as cheapestPrice.
		Cheapest *RegionPrice `json:"-"`
	}

	// Converted is a price in another currency, in hundredths.
	Converted struct {
		Currency string `json:"currency"`
		Value    int64  `json:"value"`
	}
)

// Timestamp is a time of the API in Unix milliseconds; 0 for null and "".
type Timestamp int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Timestamp) UnmarshalText(text []byte) error {
	*m = 0
	if len(text) == 0 {
		return nil
	}
	at, err := time.Parse(time.RFC3339, string(text))
	if err == nil {
		*m = Timestamp(at.UnixMilli())
	}
	return err
}

// Explorer reads the catalog for pages. Its fields must not change.
type Explorer struct {
	Site *web.Site
	// Catalog returns what the API knows about the catalog as a whole; nil before there is one.
	Catalog func() *overview.Catalog
	// API returns the handler that answers the requests of pages on behalf of a visitor.
	API func(overview.Visitor) http.Handler
	// Person returns the handler that answers API requests on behalf of a user, as it answers
	// clients.
	Person func(userID string) http.Handler
}

// Example returns the English title and the id of a popular game; "" if there is none.
func (e *Explorer) Example(v *web.Visit) (title, id string) {
	var answer struct {
		Data List `json:"data"`
	}
	err := e.Call(v, "browse", url.Values{"sort": {"popularity"}, "types": {"game"}, "limit": {"1"}, "lang": {"en"}}, &answer)
	if err != nil || len(answer.Data.Items) == 0 {
		return "", ""
	}
	return answer.Data.Items[0].Title, answer.Data.Items[0].ID
}

// Overview returns the catalog as a whole, or a [web.Problem] while there is none.
func (e *Explorer) Overview() (*overview.Catalog, error) {
	live := e.Catalog()
	if live == nil {
		return nil, &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: time.Minute}
	}
	return live, nil
}
