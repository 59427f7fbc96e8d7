package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Manifest names everything that a node needs to answer. Manifests are numbered
// and never change; the highest intact one is in force.
type Manifest struct {
	Seq       int64
	Catalog   string      // name of the catalog blob
	Prices    string      // name of the prices blob
	Lows      []string    // names of the lows blobs: one for each region
	Rates     money.Rates // zero: no table yet
	Platforms []index.PlatformState
	Inputs    Inputs
	BuiltAt   catalog.Millis // when the snapshot was built
	// Lineage is the same for manifests of which each was published after the one before was
	// read. Numbers of different lineages cannot be compared: after a restore without
	// snapshots they begin anew. Older programs wrote none.
	Lineage string
}

// Blobs returns the names of the blobs of the snapshot.
func (m *Manifest) Blobs() []string {
	return append([]string{m.Catalog, m.Prices}, m.Lows...)
}

// Inputs are what a snapshot was built from. A builder builds whenever the
// current ones differ.
type Inputs struct {
	DatabaseID    string           `json:"databaseId"`
	Epoch         string           `json:"epoch,omitempty"` // of the database
	Generation    int64            `json:"generation"`
	Active        []catalog.Region `json:"-"` // in configured order
	MergeVersion  int              `json:"mergeVersion"`
	OverridesHash uint64           `json:"overridesHash,string"`
	Format        int              `json:"format"` // of the blobs
	// Day is the UTC day, counted from 1970, that the windows of the lows end with; 0 in
	// manifests of programs without lows.
	Day int64 `json:"day,omitempty"`
}

// NewerError is the error for an intact manifest of a newer version of the program.
type NewerError struct {
	Seq                  int64
	Format, MergeVersion int // of the snapshot
}

// Error names the manifest and its version.
func (e *NewerError) Error() string {
	return fmt.Sprintf("a newer version of gamedex published snapshot %d (format %d, merge version %d)", e.Seq, e.Format, e.MergeVersion)
}

// Equal reports whether in and o lead to the same snapshot.
func (in Inputs) Equal(o Inputs) bool {
	return slices.Equal(in.Active, o.Active) && in.DatabaseID == o.DatabaseID && in.Epoch == o.Epoch && in.Generation == o.Generation &&
		in.MergeVersion == o.MergeVersion && in.OverridesHash == o.OverridesHash && in.Format == o.Format && in.Day == o.Day
}

const manifestPrefix = "manifest/"

// ManifestName returns the name of the blob that holds a manifest. Numbers have
// 20 digits, so that names sort as numbers do.
func ManifestName(seq int64) string { return fmt.Sprintf("%s%020d", manifestPrefix, seq) }

// manifestFile is the file: a manifest and the CRC-32C of its bytes, which
// detects a truncated file.
type manifestFile struct {
	Checksum uint32          `json:"checksum"`
	Manifest json.RawMessage `json:"manifest"`
}

// manifestBody is the JSON of a manifest.
type manifestBody struct {
	Seq       int64            `json:"seq"`
	Catalog   string           `json:"catalog"`
	Prices    string           `json:"prices"`
	Lows      string           `json:"lows,omitempty"` // the only blob, in format 8
	AllLows   []string         `json:"allLows,omitempty"`
	Rates     json.RawMessage  `json:"rates,omitempty"`
	Platforms []stateBody      `json:"platforms"`
	Inputs    Inputs           `json:"inputs"`
	Active    []catalog.Region `json:"active"`
	BuiltAt   catalog.Millis   `json:"builtAt"`
	Lineage   string           `json:"lineage,omitempty"`
}

type stateBody struct {
	Platform       catalog.Platform `json:"platform"`
	Status         string           `json:"status"`
	Collecting     bool             `json:"collecting"`
	FirstSweepDone bool             `json:"firstSweepDone"`
	Freshness      []freshnessBody  `json:"freshness,omitempty"` // older manifests have none
}

// freshnessBody is a catalog.Freshness.
type freshnessBody struct {
	Platform   catalog.Platform `json:"-"`
	Region     catalog.Region   `json:"region"`
	Listings   int              `json:"listings"`
	Doubtful   int              `json:"doubtful,omitempty"`
	OldestSeen catalog.Millis   `json:"oldestSeen,omitempty"`
	MedianSeen catalog.Millis   `json:"medianSeen,omitempty"`
	LastSweep  catalog.Millis   `json:"lastSweep,omitempty"`
}

// Encode returns the manifest as DecodeManifest reads it.
func (m Manifest) Encode() ([]byte, error) {
	body := manifestBody{Seq: m.Seq, Catalog: m.Catalog, Prices: m.Prices, AllLows: m.Lows, Inputs: m.Inputs,
		Active: m.Inputs.Active, BuiltAt: m.BuiltAt, Lineage: m.Lineage, Platforms: []stateBody{}}
	if !m.Rates.IsZero() {
		body.Rates = m.Rates.AppendJSON(nil)
	}
	for _, s := range m.Platforms {
		b := stateBody{Platform: s.Platform, Status: s.Status, Collecting: s.Collecting, FirstSweepDone: s.FirstSweepDone}
		for _, f := range s.Freshness {
			b.Freshness = append(b.Freshness, freshnessBody(f))
		}
		body.Platforms = append(body.Platforms, b)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode manifest %d: %w", m.Seq, err)
	}
	return json.Marshal(manifestFile{checksum(raw), raw})
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// manifestVersion has what the manifests of all versions have.
type manifestVersion struct {
	Seq    int64 `json:"seq"`
	Inputs struct {
		MergeVersion int `json:"mergeVersion"`
		Format       int `json:"format"`
	} `json:"inputs"`
}

// DecodeManifest reads and checks a manifest. Of one with a newer format it reads only
// the version, and returns a [*NewerError].
func DecodeManifest(data []byte) (m Manifest, err error) {
	defer func() {
		if err != nil {
			m, err = Manifest{}, fmt.Errorf("decode manifest: %w", err)
		}
	}()
	var file manifestFile
	if err := json.Unmarshal(data, &file); err != nil {
		return m, err
	}
	if sum := checksum(file.Manifest); sum != file.Checksum {
		return m, fmt.Errorf("checksum is %d, want %d", sum, file.Checksum)
	}
	var of manifestVersion
	if err := json.Unmarshal(file.Manifest, &of); err != nil {
		return m, err
	}
	if of.Inputs.Format > index.Format {
		return m, &NewerError{of.Seq, of.Inputs.Format, of.Inputs.MergeVersion}
	}
	var body manifestBody
	if err := json.Unmarshal(file.Manifest, &body); err != nil {
		return m, err
	}
	return body.manifest()
}

func (b manifestBody) manifest() (Manifest, error) {
	m := Manifest{Seq: b.Seq, Catalog: b.Catalog, Prices: b.Prices, Lows: b.AllLows, Inputs: b.Inputs, BuiltAt: b.BuiltAt, Lineage: b.Lineage}
	if b.Lows != "" {
		m.Lows = []string{b.Lows}
	}
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
	m.Inputs.Epoch = cmp.Or(b.Inputs.Epoch, b.Inputs.DatabaseID) // older manifests have none: they are of SQLite
	m.Inputs.Active = b.Active
	for _, s := range b.Platforms {
		state := index.PlatformState{Platform: s.Platform, Status: s.Status, Collecting: s.Collecting, FirstSweepDone: s.FirstSweepDone}
		for _, f := range s.Freshness {
			if f.Listings < 0 || f.Doubtful < 0 {
				return m, fmt.Errorf("freshness of %s %s: %d listings, %d doubtful: want no negative number", s.Platform, f.Region, f.Listings, f.Doubtful)
			}
			f.Platform = s.Platform
			state.Freshness = append(state.Freshness, catalog.Freshness(f))
		}
		m.Platforms = append(m.Platforms, state)
	}
	return m, nil
}

// View returns the view of a snapshot that m names.
func (m Manifest) View(s *index.Snapshot) *index.View {
	return index.NewView(s, index.Published{Seq: m.Seq, Source: m.Inputs.DatabaseID + "/" + m.Inputs.Epoch + "/" + m.Lineage, Rates: m.Rates, Platforms: m.Platforms, BuiltAt: m.BuiltAt})
}

// BlobReader is a bucket to read manifests and blobs from. It is used
// concurrently.
type BlobReader interface {
	bucket.Lister
	Get(ctx context.Context, name string) ([]byte, error)
}

// ErrNoManifest means that no intact manifest was published yet.
var ErrNoManifest = errors.New("no manifest")

// maxSeq is above every number of a real manifest. A file with a higher one must
// not use up the numbers.
const maxSeq = 1 << 53

// Numbers returns the numbers of all manifests, highest first, damaged ones
// included. It skips other names with the prefix.
func Numbers(ctx context.Context, from BlobReader) ([]int64, error) {
	return numbersAfter(ctx, from, 0)
}

// numbersAfter returns the numbers of the manifests after seq, highest first.
func numbersAfter(ctx context.Context, from BlobReader, seq int64) ([]int64, error) {
	manifests, err := manifestsAfter(ctx, from, seq)
	var list []int64
	for _, m := range slices.Backward(manifests) {
		list = append(list, m.seq)
	}
	return list, err
}

// stored is a manifest as a list shows it.
type stored struct {
	seq int64
	at  time.Time
}

// manifestsAfter lists the manifests after seq, lowest number first: names sort as numbers do.
func manifestsAfter(ctx context.Context, from BlobReader, seq int64) (list []stored, err error) {
	for entry, err := range from.Walk(ctx, manifestPrefix, ManifestName(seq)) {
		if err != nil {
			return nil, fmt.Errorf("list manifests: %w", err)
		}
		if seq, ok := numberOf(entry.Name); ok {
			list = append(list, stored{seq, entry.Time})
		}
	}
	return list, nil
}

// numberOf returns the number of the manifest that a name is of.
func numberOf(name string) (seq int64, ok bool) {
	seq, err := strconv.ParseInt(strings.TrimPrefix(name, manifestPrefix), 10, 64)
	return seq, err == nil && 0 < seq && seq < maxSeq && name == ManifestName(seq)
}

// ReadManifest reads one manifest; errors name it.
func ReadManifest(ctx context.Context, from BlobReader, seq int64) (Manifest, error) {
	name := ManifestName(seq)
	data, err := from.Get(ctx, name)
	if err != nil {
		return Manifest{}, failed("read", name, err)
	}
	m, err := DecodeManifest(data)
	if err == nil && m.Seq != seq {
		err = fmt.Errorf("its content has number %d", m.Seq)
	}
	if err != nil {
		return Manifest{}, failed("read", name, err)
	}
	return m, nil
}

// Latest returns the highest manifest that is intact. It calls skipped with the
// error of each one above that is damaged or of a newer version. Without any it returns
// [ErrNoManifest].
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
		if errors.Is(err, bucket.ErrUnreachable) {
			return Manifest{}, err // nobody knows what it is
		}
		skipped(err)
	}
	return Manifest{}, ErrNoManifest
}
