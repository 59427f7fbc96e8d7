package storesim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
)

// categoryID is the console store's list of all games.
const categoryID = "0a000000-0000-4000-8000-00000000000a"

// The operations that the stores answer. They never change; their hashes do.
var (
	consoleOperations = [...]string{"categoryGridRetrieve", "conceptRetrieveForUpsellWithCtas", "getAddOnProductsByConcept", "metGetProductById"}
	pcOperations      = [...]string{"searchStoreQuery", "getCatalogOffer"}
)

// RotateHashes makes the hashes of a profile unknown to the stores.
func (w *World) RotateHashes() { w.rotate(true) }

// RestoreHashes makes them known again.
func (w *World) RestoreHashes() { w.rotate(false) }

func (w *World) rotate(rotated bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rotated = rotated
}

// hash returns the hash by which a store currently knows an operation, or "".
func (w *World) hash(operation string) string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.rotated {
		return "" // the new one is in no profile
	}
	return w.hashed[operation]
}

func hashes(operations []string) map[string]string {
	known := make(map[string]string, len(operations))
	for _, operation := range operations {
		sum := sha256.Sum256([]byte("storesim " + operation))
		known[operation] = hex.EncodeToString(sum[:])
	}
	return known
}

// Profile returns the profile file for the world as Handler serves it under a
// base URL without a trailing slash, with short waits for tests. It panics if
// base is not a URL.
func (w *World) Profile(baseURL string) []byte {
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" {
		panic("storesim: " + baseURL + " is no base URL")
	}
	type object = map[string]any
	file, err := json.MarshalIndent(object{
		"contact": "tests@store.example",
		"hosts": []object{{
			"name": base.Host, "requestsPerSecond": 2000, "concurrent": 8, "timeout": "2s", "attempts": 3,
			"maxBytes": 16 << 20, "privateAddresses": true, "ignoreRobots": false, "stopFor": "2s",
		}},
		"intervals": object{"prices": "10m", "editions": "6h", "addons": "24h", "titles": "24h", "details": "168h", "otherPrices": "6h", "otherRest": "168h"},
		"consolestore": object{
			"graphql": baseURL + consolePath, "origin": baseURL, "operations": hashes(consoleOperations[:]),
			"category": categoryID, "pageSize": 100, "addOnPageSize": 50, "productURL": productURL, "regions": w.consoleRegions(),
		},
		"pcstore": object{
			"graphql": baseURL + pcPath, "platform": baseURL + platformPath, "store": storeName, "operations": hashes(pcOperations[:]),
			"category": "games/edition/base|bundles/games|games/edition|addons|addons/durable|digitalextras",
			"pageSize": 200, "gameURL": gameURL, "regions": w.pcRegions(),
		},
	}, "", "  ")
	if err != nil {
		panic("storesim: " + err.Error())
	}
	return append([]byte("# The stores of a test.\n"), append(file, '\n')...)
}

func (w *World) consoleRegions() []map[string]any {
	regions := make([]map[string]any, 0, len(w.markets))
	for _, m := range w.markets {
		r := map[string]any{"region": m.region.String(), "locale": m.locale, "currency": string(m.currency)}
		if m.further != "" {
			r["titles"] = []string{m.further}
		}
		regions = append(regions, r)
	}
	return regions
}

func (w *World) pcRegions() []map[string]any {
	regions := make([]map[string]any, 0, len(w.groups))
	for _, group := range w.groups {
		first := group[0]
		r := map[string]any{"region": first.region.String(), "locale": first.pcLocale, "currency": string(first.currency)}
		var more []string
		for _, m := range group[1:] {
			more = append(more, m.region.String())
		}
		if more != nil {
			r["countries"] = more
		}
		regions = append(regions, r)
	}
	return regions
}
