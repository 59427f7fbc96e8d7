package publish

import "testing"

// TestCacheDropsBlobsOfOtherManifests checks that manifests that cannot be opened do not
// fill the memory: what was read for one is dropped when another is tried.
func TestCacheDropsBlobsOfOtherManifests(t *testing.T) {
	c := NewCache(nil, nil, nil)
	for _, name := range []string{"blob/catalog", "blob/old prices", "blob/lows"} {
		c.add(name, []byte(name))
	}
	c.expect(Manifest{Catalog: "blob/catalog", Prices: "blob/prices", Lows: []string{"blob/lows", "blob/more lows"}})
	for name, want := range map[string]bool{"blob/catalog": true, "blob/old prices": false, "blob/lows": true} {
		if got := c.waiting(name) != nil; got != want {
			t.Errorf("%s is kept: %v, want %v", name, got, want)
		}
	}
}
