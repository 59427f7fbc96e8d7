package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"sync"

	"gamedex/internal/catalog"
)

// hash names a content: SHA-256 of its bytes, cut.
type hash [16]byte

func hashOf(body []byte) hash {
	sum := sha256.Sum256(body)
	return hash(sum[:16])
}

// contentTable is a table of contents that are stored once.
type contentTable struct {
	counter string // hands out its ids
	lookup  string
	insert  insert
	fields  bool // has a column for the fields of a prose
}

var (
	factsTable = contentTable{
		counter: "facts",
		lookup:  "SELECT id, hash FROM facts WHERE hash IN (?...)",
		insert:  insertInto("facts", "id, hash, body", ""),
	}
	proseTable = contentTable{
		counter: "prose",
		lookup:  "SELECT id, hash FROM prose WHERE hash IN (?...)",
		insert:  insertInto("prose", "id, hash, fields, body", ""),
		fields:  true,
	}
)

// contents finds the numbers of the contents of one batch, and stores those
// that are new. It is filled by add, then number gives ids in that order.
type contents struct {
	table  contentTable
	cache  *idCache
	ids    []int64 // 0: an empty prose, or not numbered yet
	wanted []wanted
	first  map[hash]int   // index into wanted of each distinct content
	fresh  map[hash]int64 // numbered by this transaction: not yet committed
	buf    []byte
}

// wanted is a content whose number is not known yet.
type wanted struct {
	hash   hash
	body   []byte
	fields catalog.ProseFields
	places []int // indices into ids
}

func newContents(table contentTable, cache *idCache) *contents {
	return &contents{table: table, cache: cache, first: make(map[hash]int), fresh: make(map[hash]int64)}
}

func (c *contents) addFacts(f *catalog.Facts) {
	c.buf = f.AppendBinary(c.buf[:0])
	c.add(0)
}

// addProse gives an empty prose the number 0 and stores nothing of it.
func (c *contents) addProse(p *catalog.Prose) {
	fields := p.Fields()
	if fields == 0 {
		c.ids = append(c.ids, 0)
		return
	}
	c.buf = p.AppendBinary(c.buf[:0])
	c.add(fields)
}

// add takes the content in buf.
func (c *contents) add(fields catalog.ProseFields) {
	h := hashOf(c.buf)
	id, known := c.fresh[h]
	if !known {
		id, known = c.cache.get(h)
	}
	if !known {
		c.want(h, fields)
	}
	c.ids = append(c.ids, id)
}

func (c *contents) want(h hash, fields catalog.ProseFields) {
	i, again := c.first[h]
	if !again {
		i = len(c.wanted)
		c.first[h] = i
		c.wanted = append(c.wanted, wanted{hash: h, fields: fields, body: append([]byte(nil), c.buf...)})
	}
	c.wanted[i].places = append(c.wanted[i].places, len(c.ids))
}

// number looks up what is wanted, and inserts what is not there.
func (c *contents) number(ctx context.Context, t *tx) error {
	if err := c.find(ctx, t); err != nil {
		return err
	}
	var missing []wanted
	for _, w := range c.wanted {
		if _, ok := c.fresh[w.hash]; !ok {
			missing = append(missing, w)
		}
	}
	if err := c.insert(ctx, t, missing); err != nil {
		return err
	}
	for _, w := range c.wanted {
		for _, at := range w.places {
			c.ids[at] = c.fresh[w.hash]
		}
	}
	return nil
}

func (c *contents) find(ctx context.Context, t *tx) error {
	keys := make([]any, len(c.wanted))
	for i := range c.wanted {
		keys[i] = c.wanted[i].hash[:]
	}
	return t.queryIn(ctx, c.table.lookup, nil, keys, func(rows *sql.Rows) error {
		var id int64
		var raw sql.RawBytes
		if err := rows.Scan(&id, &raw); err != nil {
			return err
		}
		if len(raw) != len(hash{}) {
			return fmt.Errorf("%s %d: damaged hash", c.table.counter, id)
		}
		c.fresh[hash(raw)] = id
		return nil
	})
}

func (c *contents) insert(ctx context.Context, t *tx, missing []wanted) error {
	if len(missing) == 0 {
		return nil
	}
	last, err := t.next(ctx, c.table.counter, len(missing))
	if err != nil {
		return err
	}
	first := last - int64(len(missing)) + 1
	return t.insertRows(ctx, c.table.insert, len(missing), func(args []any, i int) []any {
		w := &missing[i]
		c.fresh[w.hash] = first + int64(i)
		args = append(args, first+int64(i), w.hash[:])
		if c.table.fields {
			args = append(args, int64(w.fields))
		}
		return append(args, w.body)
	})
}

// reset makes ready for the next lines of the same transaction.
func (c *contents) reset() {
	c.ids, c.wanted = c.ids[:0], c.wanted[:0]
	clear(c.first)
}

// remember puts the numbers into the cache, once they are committed.
func (c *contents) remember() { c.cache.put(c.fresh) }

// cachedIDs bounds each half of an idCache: 32 bytes an entry and the map's own.
const cachedIDs = 1 << 16

// idCache remembers the numbers of contents that were used lately. Contents
// are never changed or removed, so an entry is right for good.
type idCache struct {
	mu       sync.Mutex
	now, old map[hash]int64
}

func newIDCache() *idCache { return &idCache{now: make(map[hash]int64)} }

func (c *idCache) get(h hash) (int64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.now[h]
	if !ok {
		if id, ok = c.old[h]; ok {
			c.set(h, id)
		}
	}
	return id, ok
}

func (c *idCache) put(ids map[hash]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for h, id := range ids {
		c.set(h, id)
	}
}

// set forgets what was not used while one half filled up.
func (c *idCache) set(h hash, id int64) {
	if len(c.now) >= cachedIDs {
		c.old, c.now = c.now, make(map[hash]int64)
	}
	c.now[h] = id
}
