package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Manifest names everything that a node needs to answer. Manifests are
// numbered and never change; the highest whole one counts.
type Manifest struct {
	Seq       int64
	Catalog   string      // name of the catalog blob
	Prices    string      // name of the prices blob
	Rates     money.Rates // zero: no table yet
	Platforms []PlatformState
	Inputs    Inputs
	BuiltAt   catalog.Millis // when the snapshot was built
}

// Inputs are what a snapshot was built from: a builder builds whenever today's
// differ.
type Inputs struct {
	DatabaseID    string           `json:"databaseId"`
	Generation    int64            `json:"generation"`
	Active        []catalog.Region `json:"-"` // in configured order
	MergeVersion  int              `json:"mergeVersion"`
	OverridesHash uint64           `json:"overridesHash,string"`
	Format        int              `json:"format"` // of the blobs
}

// Equal tells whether a snapshot built from in would be the one built from o.
func (in Inputs) Equal(o Inputs) bool {
	return slices.Equal(in.Active, o.Active) && in.DatabaseID == o.DatabaseID && in.Generation == o.Generation &&
		in.MergeVersion == o.MergeVersion && in.OverridesHash == o.OverridesHash && in.Format == o.Format
}

// PlatformState is what answers say of a platform beside its listings.
type PlatformState struct {
	Platform catalog.Platform
	// Status is "operational", "degraded" or "outage".
	Status string
	// Collecting tells whether collection from the store is switched on, and
	// FirstSweepDone whether its first sweep of every active region is complete.
	Collecting, FirstSweepDone bool
	// Freshness is how old the listings are, region by region, sorted by region.
	Freshness []catalog.Freshness
}

// Equal tells whether answers made of s and of o say the same.
func (s PlatformState) Equal(o PlatformState) bool {
	return s.Platform == o.Platform && s.Status == o.Status && s.Collecting == o.Collecting &&
		s.FirstSweepDone == o.FirstSweepDone && slices.Equal(s.Freshness, o.Freshness)
}

const manifestPrefix = "manifest/"

// ManifestName is the name of the blob that holds a manifest: numbers have 20
// digits, so that names sort as numbers do.
func ManifestName(seq int64) string { return fmt.Sprintf("%s%020d", manifestPrefix, seq) }

// manifestFile is the file: a manifest and the CRC-32C of its bytes, so that a
// torn file is not taken for a whole one.
type manifestFile struct {
	Checksum uint32          `json:"checksum"`
	Manifest json.RawMessage `json:"manifest"`
}

// manifestBody is how a manifest is written.
type manifestBody struct {
	Seq       int64           `json:"seq"`
	Catalog   string          `json:"catalog"`
	Prices    string          `json:"prices"`
	Rates     json.RawMessage `json:"rates,omitempty"`
	Platforms []stateBody     `json:"platforms"`
	Inputs    Inputs          `json:"inputs"`
	Active    []string        `json:"active"`
	BuiltAt   catalog.Millis  `json:"builtAt"`
}

type stateBody struct {
	Platform       string          `json:"platform"`
	Status         string          `json:"status"`
	Collecting     bool            `json:"collecting"`
	FirstSweepDone bool            `json:"firstSweepDone"`
	Freshness      []freshnessBody `json:"freshness,omitempty"` // manifests of old have none
}

type freshnessBody struct {
	Region     string         `json:"region"`
	Listings   int            `json:"listings"`
	Doubtful   int            `json:"doubtful,omitempty"`
	OldestSeen catalog.Millis `json:"oldestSeen,omitempty"`
	MedianSeen catalog.Millis `json:"medianSeen,omitempty"`
	LastSweep  catalog.Millis `json:"lastSweep,omitempty"`
}

// Encode writes the manifest as DecodeManifest reads it.
func (m Manifest) Encode() ([]byte, error) {
	body := manifestBody{Seq: m.Seq, Catalog: m.Catalog, Prices: m.Prices, Inputs: m.Inputs,
		Active: codes(m.Inputs.Active), BuiltAt: m.BuiltAt, Platforms: []stateBody{}}
	if !m.Rates.IsZero() {
		body.Rates = m.Rates.AppendJSON(nil)
	}
	for _, s := range m.Platforms {
		body.Platforms = append(body.Platforms, s.body())
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode manifest %d: %w", m.Seq, err)
	}
	return json.Marshal(manifestFile{checksum(raw), raw})
}

func (s PlatformState) body() stateBody {
	b := stateBody{Platform: s.Platform.String(), Status: s.Status, Collecting: s.Collecting, FirstSweepDone: s.FirstSweepDone}
	for _, f := range s.Freshness {
		b.Freshness = append(b.Freshness, freshnessBody{f.Region.String(), f.Listings, f.Doubtful, f.OldestSeen, f.MedianSeen, f.LastSweep})
	}
	return b
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// DecodeManifest reads and checks a manifest.
func DecodeManifest(data []byte) (Manifest, error) {
	var file manifestFile
	if err := json.Unmarshal(data, &file); err != nil {
		return Manifest{}, fmt.Errorf("decode manifest: %w", err)
	}
	if sum := checksum(file.Manifest); sum != file.Checksum {
		return Manifest{}, fmt.Errorf("decode manifest: checksum is %d, want %d", sum, file.Checksum)
	}
	var body manifestBody
	if err := json.Unmarshal(file.Manifest, &body); err != nil {
		return Manifest{}, fmt.Errorf("decode manifest: %w", err)
	}
	m, err := body.manifest()
	if err != nil {
		return Manifest{}, fmt.Errorf("decode manifest: %w", err)
	}
	return m, nil
}

func (b manifestBody) manifest() (Manifest, error) {
	m := Manifest{Seq: b.Seq, Catalog: b.Catalog, Prices: b.Prices, Inputs: b.Inputs, BuiltAt: b.BuiltAt}
	if b.Seq < 1 || b.Catalog == "" || b.Prices == "" {
		return m, fmt.Errorf("seq %d, catalog %q, prices %q: want a number from 1 and two names", b.Seq, b.Catalog, b.Prices)
	}
	if len(b.Rates) > 0 {
		rates, err := money.ParseRates(b.Rates)
		if err != nil {
			return m, err
		}
		m.Rates = rates
	}
	for _, code := range b.Active {
		r, err := catalog.ParseRegion(code)
		if err != nil {
			return m, err
		}
		m.Inputs.Active = append(m.Inputs.Active, r)
	}
	for _, s := range b.Platforms {
		state, err := s.state()
		if err != nil {
			return m, err
		}
		m.Platforms = append(m.Platforms, state)
	}
	return m, nil
}

func (b stateBody) state() (PlatformState, error) {
	p, err := catalog.ParsePlatform(b.Platform)
	if err != nil {
		return PlatformState{}, err
	}
	s := PlatformState{Platform: p, Status: b.Status, Collecting: b.Collecting, FirstSweepDone: b.FirstSweepDone}
	for _, f := range b.Freshness {
		r, err := catalog.ParseRegion(f.Region)
		if err != nil {
			return s, fmt.Errorf("freshness of %s: %w", p, err)
		}
		if f.Listings < 0 || f.Doubtful < 0 {
			return s, fmt.Errorf("freshness of %s %s: %d listings, %d doubtful: want no negative number", p, r, f.Listings, f.Doubtful)
		}
		s.Freshness = append(s.Freshness, catalog.Freshness{Platform: p, Region: r, Listings: f.Listings, Doubtful: f.Doubtful,
			OldestSeen: f.OldestSeen, MedianSeen: f.MedianSeen, LastSweep: f.LastSweep})
	}
	return s, nil
}

// BlobReader is where manifests and blobs are read from, several at a time.
type BlobReader interface {
	Get(ctx context.Context, name string) ([]byte, error)
	List(ctx context.Context, prefix string) ([]string, error)
}

// ErrNoManifest says that nothing that can be served was published yet.
var ErrNoManifest = errors.New("no manifest")

// maxSeq is above every number that is ever given out. A file that claims more
// must not use the numbers up.
const maxSeq = 1 << 53

// Numbers lists the numbers of all manifests, highest first, damaged ones
// included. Other names under the prefix are passed over.
func Numbers(ctx context.Context, from BlobReader) ([]int64, error) {
	names, err := from.List(ctx, manifestPrefix)
	if err != nil {
		return nil, fmt.Errorf("list manifests: %w", err)
	}
	var list []int64
	for _, name := range names {
		seq, err := strconv.ParseInt(strings.TrimPrefix(name, manifestPrefix), 10, 64)
		if err == nil && 0 < seq && seq < maxSeq && name == ManifestName(seq) {
			list = append(list, seq)
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list, nil
}

// ReadManifest reads one manifest; errors name it.
func ReadManifest(ctx context.Context, from BlobReader, seq int64) (Manifest, error) {
	name := ManifestName(seq)
	data, err := from.Get(ctx, name)
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", name, err)
	}
	m, err := DecodeManifest(data)
	if err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", name, err)
	}
	if m.Seq != seq {
		return Manifest{}, fmt.Errorf("read %s: it says it is number %d", name, m.Seq)
	}
	return m, nil
}

// Latest returns the highest manifest that is whole. What stands above it and
// cannot be read is told to skipped. Without any it is [ErrNoManifest].
func Latest(ctx context.Context, from BlobReader, skipped func(error)) (Manifest, error) {
	numbers, err := Numbers(ctx, from)
	if err != nil {
		return Manifest{}, err
	}
	for _, seq := range numbers {
		m, err := ReadManifest(ctx, from, seq)
		if err == nil {
			return m, nil
		}
		if ctx.Err() != nil {
			return Manifest{}, ctx.Err()
		}
		skipped(err)
	}
	return Manifest{}, ErrNoManifest
}
