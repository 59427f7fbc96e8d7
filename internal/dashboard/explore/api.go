package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gamedex/internal/dashboard/web"
)

// catalogPath begins the API paths that the explorer calls.
const catalogPath = "/api/v1/catalog/"

// maxResponse bounds a response of the API, in bytes.
const maxResponse = 8 << 20

type cardGoneError struct {
	successors []string // ids of the cards that have its listings now
}

// Error implements error.
func (*cardGoneError) Error() string { return "no card has this id" }

// refusedError is an answer of the API with status 400.
type refusedError struct {
	code              string
	field, constraint string // of INVALID_PARAMS
}

// Error implements error.
func (e *refusedError) Error() string { return "the API refused the request: " + e.code }

// callAPI sends a request to the API in process, with the visitor as the caller.
// The path is escaped and relative to catalogPath. It decodes a response with
// status 200 into the value that into points to, and returns its body, too. It
// fails with a cardGoneError if no card has the id, with a refusedError if the API
// refuses the parameters, and with a problem if it refuses for another reason.
func (p *Pages) callAPI(v *web.Visit, path string, query url.Values, into any) (raw []byte, err error) {
	r, err := http.NewRequestWithContext(v.Context(), http.MethodGet, catalogPath+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("call the API for %s: %w", path, err)
	}
	answer := web.Call(p.Catalog(v.User.ID), r, maxResponse)
	if err := failure(answer); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return nil, fmt.Errorf("read the API's response for %s: %w", path, err)
	}
	return answer.Body, nil
}

// failure returns why there is nothing to show; nil after status 200.
func failure(a *web.Answer) error {
	switch a.Status {
	case http.StatusOK:
		if a.Size > maxResponse {
			return fmt.Errorf("the API answered more than %d bytes", maxResponse)
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
		if err := json.Unmarshal(a.Body, &refused); err != nil {
			return fmt.Errorf("read why the API has no card: %w", err)
		}
		return &cardGoneError{refused.Error.Details.Successors}
	case http.StatusBadRequest:
		var refused struct {
			Error struct {
				Code    string `json:"code"`
				Details struct {
					Field      string `json:"field"`
					Constraint string `json:"constraint"`
				} `json:"details"`
			} `json:"error"`
		}
		if err := json.Unmarshal(a.Body, &refused); err != nil {
			return fmt.Errorf("read why the API refused a request: %w", err)
		}
		return &refusedError{refused.Error.Code, refused.Error.Details.Field, refused.Error.Details.Constraint}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
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
	searchAnswer struct {
		Data struct {
			Results []listedCard `json:"results"`
			Total   int          `json:"total"`
		} `json:"data"`
	}

	browseAnswer struct {
		Data struct {
			Items      []listedCard `json:"items"`
			Total      int          `json:"total"`
			NextCursor string       `json:"nextCursor"`
		} `json:"data"`
	}

	// listedCard is a result of a search, or a card of another list.
	listedCard struct {
		ID          string   `json:"id"`
		Platform    string   `json:"platform"`
		Title       string   `json:"title"`
		Type        string   `json:"type"`
		Thumbnail   string   `json:"thumbnail"`
		EditionName string   `json:"editionName"`
		Platforms   []string `json:"platforms"`
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

	// gameCard is a card of either store.
	gameCard struct {
		ID          string `json:"id"`   // console store
		Slug        string `json:"slug"` // PC store
		Platform    string `json:"platform"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Type        string `json:"type"`
		Thumbnail   string `json:"thumbnail"`
		Images      struct {
			Cover string `json:"cover"`
		} `json:"images"`
		ReleaseDate string   `json:"releaseDate"`
		Publisher   string   `json:"publisher"`
		Developer   string   `json:"developer"`
		Genres      []string `json:"genres"`
		Rating      struct {
			Age    string `json:"age"`
			System string `json:"system"`
		} `json:"rating"`
		StoreURL string       `json:"storeUrl"`
		Price    *simplePrice `json:"price"`
		Variants []cardLine   `json:"variants"`
		Related  []cardLine   `json:"related"`
		Offers   []cardLine   `json:"offers"`
		Details  struct {
			EditionName string   `json:"editionName"`
			Platforms   []string `json:"platforms"`
		} `json:"details"`
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
				ID       string                 `json:"id"`
				Regions  map[string]regionPrice `json:"regions"`
				Cheapest *struct {
					Region          string `json:"region"`
					ComparedRegions int    `json:"comparedRegions"`
					RegionsCount    int    `json:"regionsCount"`
				} `json:"cheapest"`
			} `json:"items"`
		} `json:"data"`
		Regions []string `json:"regions"` // keys of all regions, in order
		Meta    struct {
			ExchangeRates *struct {
				UpdatedAt moment `json:"updatedAt"`
			} `json:"exchangeRates"`
		} `json:"meta"`
	}

	regionPrice struct {
		Alpha2          string   `json:"alpha2"`
		Currency        string   `json:"currency"`
		Base            *int64   `json:"base"`
		Current         *int64   `json:"current"`
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
		Lows            *lows    `json:"lows"`

		Converted *struct {
			Currency string `json:"currency"`
			Value    int64  `json:"value"`
		} `json:"converted"`
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
