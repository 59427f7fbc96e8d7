package storesim

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// The paths of Handler.
const (
	consolePath  = "/console/graphql"
	pcPath       = "/pc/graphql"
	platformPath = "/pc/platform"
	ECBPath      = "/rates/ecb.xml"    // the table of a bank without hryvnias
	NBUPath      = "/rates/nbu.json"   // the table of a bank with hryvnias
	oxrPath      = "/rates/oxr.json"   // requires a key, any
	TablePath    = "/rates/table.json" // the exact table, as the program writes it
)

// Handler serves both stores and the providers of exchange rates.
func (w *World) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+consolePath, w.serveConsole)
	mux.HandleFunc("GET "+pcPath, w.servePC)
	mux.HandleFunc("GET "+platformPath+"/{kind}/{id}", w.servePlatform)
	mux.HandleFunc("GET /robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
		page(rw, http.StatusOK, "text/plain", "User-agent: *\nDisallow: /cart\nDisallow: /*/checkout$\n")
	})
	w.handleRates(mux)
	return mux
}

// query is a persisted query.
type query struct {
	operation, hash string
	variables       variables
}

// variables holds the variables of all operations together.
type variables struct {
	ID        string `json:"id"`
	ConceptID string `json:"conceptId"`
	ProductID string `json:"productId"`
	PageArgs  struct {
		Size   int `json:"size"`
		Offset int `json:"offset"`
	} `json:"pageArgs"`
	Country  string `json:"country"`
	Locale   string `json:"locale"`
	Category string `json:"category"`
	Start    int    `json:"start"`
	Count    int    `json:"count"`
	OfferID  string `json:"offerId"`
	Sandbox  string `json:"sandboxId"`
}

// readQuery refuses requests that are not persisted queries.
func readQuery(r *http.Request) (query, bool) {
	values := r.URL.Query()
	q := query{operation: values.Get("operationName")}
	var extensions struct {
		PersistedQuery struct {
			Version int    `json:"version"`
			Hash    string `json:"sha256Hash"`
		} `json:"persistedQuery"`
	}
	if json.Unmarshal([]byte(values.Get("extensions")), &extensions) != nil || extensions.PersistedQuery.Version != 1 {
		return q, false
	}
	q.hash = extensions.PersistedQuery.Hash
	err := json.Unmarshal([]byte(values.Get("variables")), &q.variables)
	return q, err == nil
}

const (
	csrfRefusal = `{"errors":[{"message":"This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a 'content-type' header ` +
		`(with a type that is not one of application/x-www-form-urlencoded, multipart/form-data, text/plain) or provide a non-empty value for one of the following headers: ` +
		`x-apollo-operation-name, apollo-require-preflight"}]}`
	unknownHash  = `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}`
	invalidQuery = `{"errors":[{"message":"GraphQL operations must contain a non-empty persisted query."}]}`
)

// refused answers an invalid query, and reports whether it was one.
func (w *World) refused(rw http.ResponseWriter, r *http.Request, q query, ok bool, f Fault) bool {
	h, hash := r.Header, w.hash(q.operation)
	preflight := h.Get("Content-Type") == "application/json" || h.Get("X-Apollo-Operation-Name") != "" || h.Get("Apollo-Require-Preflight") != ""
	switch {
	case !preflight:
		page(rw, http.StatusBadRequest, "application/json", csrfRefusal)
	case !ok:
		page(rw, http.StatusBadRequest, "application/json", invalidQuery)
	case hash == "" || hash != q.hash || f == Rotated || !onPath(r.URL.Path, q.operation):
		// Stores differ in the status, and so do days.
		page(rw, [...]int{http.StatusOK, http.StatusBadRequest}[len(q.operation)%2], "application/json", unknownHash)
	default:
		return false
	}
	return true
}

// onPath reports whether the store at a path has an operation.
func onPath(path, operation string) bool {
	return slices.Contains(pcOperations[:], operation) == (path == pcPath)
}

func (w *World) serveConsole(rw http.ResponseWriter, r *http.Request) {
	q, ok := readQuery(r)
	number := w.queries.Add(1)
	m, language := w.byLocale(r.Header.Get("X-Psn-Store-Locale-Override"))
	f, dice := w.faulty.draw(catalog.ConsoleStore, m.region)
	if f.fail(rw, r, dice) || w.refused(rw, r, q, ok, f) {
		return
	}
	status, answer := w.answerConsole(q, m, language, f)
	send(rw, r, answer, answerStyle{status: status, cut: f == Cut, packed: number%16 == 0})
}

// byLocale returns the region and language of a locale. Without a known one the
// answer is for the first region, as if the caller were there.
func (w *World) byLocale(locale string) (*market, string) {
	for _, m := range w.markets {
		if strings.EqualFold(locale, m.locale) {
			return m, m.language
		}
		if m.further != "" && strings.EqualFold(locale, m.further) {
			language, _, _ := strings.Cut(m.further, "-")
			return m, language
		}
	}
	return w.markets[0], w.markets[0].language
}

// answerConsole answers under the lock, so that no answer mixes two days.
func (w *World) answerConsole(q query, m *market, language string, f Fault) (status int, answer object) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	v := view{World: w, market: m, language: language, day: w.day(), partial: f == Partial, unpriced: f == PricesVanish}
	vars := &q.variables
	status, answer = http.StatusOK, object{}
	switch q.operation {
	case "categoryGridRetrieve":
		answer["data"] = v.gridAnswer(vars.PageArgs.Offset, vars.PageArgs.Size, f == EmptyRegion || vars.ID != categoryID)
	case "conceptRetrieveForUpsellWithCtas", "getAddOnProductsByConcept":
		status, answer = v.aboutConcept(q)
	case "metGetProductById":
		status, answer = v.aboutProduct(vars.ProductID)
	}
	if v.partial && answer["errors"] == nil {
		answer["errors"] = []object{timedOut(q.operation)}
	}
	return status, answer
}

func (v view) aboutConcept(q query) (status int, answer object) {
	id := q.variables.ConceptID
	game := v.gameOf(id)
	addOns := q.operation == "getAddOnProductsByConcept"
	switch {
	case (game < 0 || !v.listed(game, v.market, v.day)) && addOns:
		return statusOf(game), v.unavailable("Concept", id, "addOnProductsByConceptIdRetrieve")
	case game < 0 || !v.listed(game, v.market, v.day):
		return statusOf(game), v.unavailable("Concept", id, "conceptRetrieve")
	case addOns:
		return http.StatusOK, object{"data": v.addOnsAnswer(game, q.variables.PageArgs.Offset, q.variables.PageArgs.Size)}
	}
	return http.StatusOK, object{"data": v.conceptAnswer(game)}
}

func (v view) aboutProduct(id string) (status int, answer object) {
	game, slot, ok := v.productOf(id)
	if !ok {
		return http.StatusNotFound, v.unavailable("Product", id, "productRetrieve")
	}
	p := v.product(game, slot, v.market, v.day)
	if p.id != id {
		return http.StatusOK, refusal("productRetrieve", "Store Front: There is no required storefront for this product.",
			"failed_storefront_requirement", "getProduct", 400, 3162368)
	}
	if !v.inStore(game, slot, v.market, v.day) {
		return statusOf(game), v.unavailable("Product", id, "productRetrieve")
	}
	return http.StatusOK, object{"data": v.productAnswer(&p)}
}

// statusOf varies the HTTP status of missing things, as stores do.
func statusOf(game int) int {
	if game%2 == 0 {
		return http.StatusOK
	}
	return http.StatusNotFound
}

// unavailable answers that a thing is not sold in the region.
func (v view) unavailable(what, id, root string) object {
	message := what + " not available for [" + id + ", " + v.market.region.String() + ", " + v.language + "]"
	return refusal(root, message, "data_not_found", "get"+what, 404, 3166081)
}

func refusal(root, message, reason, api string, status, code int) object {
	return object{
		"data": object{root: nil},
		"errors": []object{{
			"message": message, "type": "NormalizedError", "error": object{"code": code, "message": message, "reason": reason},
			"statusCode": status, "errorCode": code, "apiName": api,
		}},
	}
}

func (w *World) servePC(rw http.ResponseWriter, r *http.Request) {
	q, ok := readQuery(r)
	number := w.queries.Add(1)
	region, err := catalog.ParseRegion(q.variables.Country)
	f, dice := w.faulty.draw(catalog.PCStore, region)
	if f.fail(rw, r, dice) || w.refused(rw, r, q, ok, f) {
		return
	}
	var answer object
	if err != nil || len(q.variables.Country) != 2 {
		answer = object{
			"errors": []object{{
				"message": "CatalogQuery: Request failed with status code 400", "serviceResponse": invalidCountry, "path": []string{"Catalog", "searchStore"},
			}},
			"data": object{"Catalog": object{"searchStore": nil, "catalogOffer": nil}},
		}
	} else {
		answer = w.answerPC(q, w.market(region), f)
	}
	send(rw, r, answer, answerStyle{status: http.StatusOK, cut: f == Cut, packed: number%16 == 0})
}

const invalidCountry = `{"errorCode":"errors.com.pc.example.catalog.invalid_country_code","errorMessage":"Sorry the value you entered does not appear to be a valid ISO country code.","numericErrorCode":5222,"errorStatus":400}`

// answerPC answers for a country; nil: one in which nothing is sold.
func (w *World) answerPC(q query, m *market, f Fault) object {
	w.mu.RLock()
	defer w.mu.RUnlock()
	language, _, _ := strings.Cut(q.variables.Locale, "-")
	v := view{World: w, market: m, language: language, day: w.day(), partial: f == Partial, unpriced: f == PricesVanish}
	switch q.operation {
	case "searchStoreQuery":
		if m == nil {
			v.market = w.markets[0]
		}
		return v.searchAnswer(q.variables.Start, q.variables.Count, m == nil || f == EmptyRegion || q.variables.Category == "")
	case "getCatalogOffer":
		game, slot, ok := w.offerOf(q.variables.OfferID)
		if m == nil || !ok || w.namespace(game) != q.variables.Sandbox || !w.pcSold(game, slot, m, v.day) || w.barred(game, slot, m) {
			return object{"data": noOffer()}
		}
		o := w.offer(game, slot, m, v.day)
		return v.offerAnswer(&o)
	}
	return object{}
}

func (w *World) servePlatform(rw http.ResponseWriter, r *http.Request) {
	kind, id := r.PathValue("kind"), r.PathValue("id")
	values := r.URL.Query()
	region, err := catalog.ParseRegion(values.Get("country"))
	f, dice := w.faulty.draw(catalog.PCStore, region)
	if f == Partial || f == Rotated {
		f = ServerError // no GraphQL here
	}
	if f.fail(rw, r, dice) {
		return
	}
	m := w.market(region)
	if err != nil || values.Get("locale") == "" || values.Get("store") != storeName {
		page(rw, http.StatusBadRequest, "application/json", `{"errorCode":"bad_request","message":"country, locale and store are required"}`)
		return
	}
	var answer object
	if m != nil {
		answer = w.answerPlatform(kind, id, m, values.Get("locale"))
	}
	if answer == nil {
		page(rw, http.StatusNotFound, "application/json", `{"errorCode":"not_found","message":"there is no such page"}`)
		return
	}
	send(rw, r, answer, answerStyle{status: http.StatusOK, cut: f == Cut, tagged: true})
}

// answerPlatform returns nil if there is no such page.
func (w *World) answerPlatform(kind, id string, m *market, locale string) object {
	w.mu.RLock()
	defer w.mu.RUnlock()
	language, _, _ := strings.Cut(locale, "-")
	v := view{World: w, market: m, language: language, day: w.day()}
	switch kind {
	case "mappings":
		if game, ok := w.gameOfSlug(id); ok && v.pcPresent(game) {
			return v.mappingAnswer(id, game, w.onGamePage(game, m, v.day))
		}
	case "products":
		number, _ := strings.CutPrefix(id, "prod-")
		game, err := strconv.ParseUint(number, 16, 32)
		if err == nil && int(game) < w.pc && productNumber(int(game)) == id {
			return v.gameAnswer(int(game))
		}
	}
	return nil
}

// pcPresent reports whether any product of a game is sold.
func (v view) pcPresent(game int) bool {
	for slot := range firstAddOn + v.pcAddOns(game) {
		if v.pcSold(game, slot, v.market, v.day) && !v.barred(game, slot, v.market) {
			return true
		}
	}
	return false
}

// answerStyle describes how an answer is sent.
type answerStyle struct {
	status int
	cut    bool // in the middle
	packed bool // if the client accepts that
	tagged bool // with an ETag
}

func send(rw http.ResponseWriter, r *http.Request, answer object, style answerStyle) {
	body, err := json.Marshal(answer)
	if err != nil {
		panic("storesim: " + err.Error())
	}
	h := rw.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	if style.tagged {
		sum := fnv.New64a()
		sum.Write(body)
		etag := `W/"` + strconv.FormatUint(sum.Sum64(), 36) + `"`
		h.Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if style.packed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = pack(body)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(style.status)
	if style.cut {
		_, _ = rw.Write(body[:len(body)/2]) // the connection breaks anyway
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = rw.Write(body) // ignore the error of a client that has disconnected
}

func pack(body []byte) []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(body) // a buffer never fails
	_ = z.Close()
	return packed.Bytes()
}
