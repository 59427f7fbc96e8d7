package listings

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"sync"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

// hash identifies a content: the first half of the SHA-256 of its bytes.
type hash [16]byte

func hashOf(body []byte) hash {
	sum := sha256.Sum256(body)
	return hash(sum[:16])
}

// unlessStored leaves out a content that another transaction stored after the
// look-up of this one.
const unlessStored = "ON CONFLICT (hash) DO NOTHING"

// contentTable is a table that stores each content once.
type contentTable struct {
	counter string // of its ids
	lookup  string
	insert  *engine.Insert
	fields  bool // has a column for the fields of a prose
}

var (
	factsTable = contentTable{
		counter: "facts",
		lookup:  "SELECT id, hash FROM facts WHERE hash = ANY($1)",
		insert:  &engine.Insert{Table: "facts", Columns: "id, hash, body", Then: unlessStored},
	}
	proseTable = contentTable{
		counter: "prose",
		lookup:  "SELECT id, hash FROM prose WHERE hash = ANY($1)",
		insert:  &engine.Insert{Table: "prose", Columns: "id, hash, fields, body", Then: unlessStored},
		fields:  true,
	}
)

// contents looks up the numbers of the contents of one batch, and inserts new
// ones. After calls of addContent, number fills ids in their order.
type contents struct {
	table  contentTable
	cache  *idCache
	epoch  string  // of the database; set before the first content is added
	ids    []int64 // 0: an empty prose, or not numbered yet
	wanted []wanted
	first  map[hash]int   // index into wanted of each distinct content
	fresh  map[hash]int64 // inserted by this transaction, which is not committed yet
}

// wanted is a content whose number is not known yet.
type wanted struct {
	hash      hash
	fields    catalog.ProseFields
	body      []byte
	positions []int // indices into ids
}

func newContents(table contentTable, cache *idCache) *contents {
	return &contents{table: table, cache: cache, first: make(map[hash]int), fresh: make(map[hash]int64)}
}

// addContent adds a content; an empty prose has no body. The caller may reuse body.
func (c *contents) addContent(body []byte, fields catalog.ProseFields) {
	var id int64
	if len(body) > 0 {
		h := hashOf(body)
		id = c.fresh[h]
		if id == 0 {
			id = c.cache.lookUp(c.epoch, h)
		}
		if id == 0 {
			i, again := c.first[h]
			if !again {
				i = len(c.wanted)
				c.first[h] = i
				c.wanted = append(c.wanted, wanted{hash: h, fields: fields, body: bytes.Clone(body)})
			}
			c.wanted[i].positions = append(c.wanted[i].positions, len(c.ids))
		}
	}
	c.ids = append(c.ids, id)
}

// number looks up the wanted contents and inserts those that are missing.
func (c *contents) number(ctx context.Context, t *engine.Tx) error {
	if err := c.lookUp(ctx, t, c.wanted); err != nil {
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
		for _, at := range w.positions {
			c.ids[at] = c.fresh[w.hash]
		}
	}
	return nil
}

// lookUp finds the numbers of stored contents.
func (c *contents) lookUp(ctx context.Context, t *engine.Tx, list []wanted) error {
	keys := make([][]byte, len(list))
	for i := range list {
		keys[i] = list[i].hash[:]
	}
	var id int64
	var raw engine.RawBytes
	dest := []any{&id, &raw}
	return t.Query(ctx, c.table.lookup, []any{keys}, func(rows engine.Rows) error {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		if len(raw) != len(hash{}) {
			return fmt.Errorf("%s %d: damaged hash", c.table.counter, id)
		}
		c.fresh[hash(raw)] = id
		return nil
	})
}

func (c *contents) insert(ctx context.Context, t *engine.Tx, missing []wanted) error {
	if len(missing) == 0 {
		return nil
	}
	last, err := t.RaiseCounter(ctx, c.table.counter, len(missing))
	if err != nil {
		return err
	}
	first := last - int64(len(missing)) + 1
	inserted, err := t.InsertRows(ctx, c.table.insert, len(missing), func(args []any, i int) []any {
		w := &missing[i]
		c.fresh[w.hash] = first + int64(i)
		args = append(args, first+int64(i), w.hash[:])
		if c.table.fields {
			args = append(args, int64(w.fields))
		}
		return append(args, w.body)
	})
	if err == nil && inserted < int64(len(missing)) {
		err = c.lookUp(ctx, t, missing) // another transaction stored some, before this one locked the counter
	}
	return err
}

// reset prepares for the next lines of the same transaction.
func (c *contents) reset() {
	c.ids, c.wanted = c.ids[:0], c.wanted[:0]
	clear(c.first)
}

// remember caches the numbers after the commit.
func (c *contents) remember() {
	if len(c.fresh) > 0 { // otherwise the epoch may not be known
		c.cache.addAll(c.epoch, c.fresh)
	}
}

// cachedIDs bounds an idCache: 32 bytes an entry and the map's own.
const cachedIDs = 1 << 17

// idCache caches the numbers of contents. Contents are never changed or removed, so within
// an epoch of the database an entry is always right.
type idCache struct {
	mu    sync.Mutex
	epoch string
	ids   map[hash]int64
}

// lookUp returns the number of a content; 0 if it is not known.
func (c *idCache) lookUp(epoch string, h hash) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return 0
	}
	return c.ids[h]
}

// addAll adds the numbers of an epoch, and drops those of any other, and all if there are too many.
func (c *idCache) addAll(epoch string, ids map[hash]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil || c.epoch != epoch || len(c.ids)+len(ids) > cachedIDs {
		c.epoch, c.ids = epoch, make(map[hash]int64)
	}
	maps.Copy(c.ids, ids)
}
