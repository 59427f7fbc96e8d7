package storesim

import "strconv"

// doc is a JSON text in the making. Commas come by themselves; strings have to
// be valid UTF-8.
type doc struct{ b []byte }

func (d *doc) comma() {
	if n := len(d.b); n > 0 && d.b[n-1] != '{' && d.b[n-1] != '[' && d.b[n-1] != ':' {
		d.b = append(d.b, ',')
	}
}

// open begins an object or list, as bracket says; in an object key is its name,
// elsewhere it is empty.
func (d *doc) open(key string, bracket byte) {
	d.key(key)
	d.b = append(d.b, bracket)
}

func (d *doc) close(bracket byte) { d.b = append(d.b, bracket) }

func (d *doc) key(key string) {
	d.comma()
	if key != "" {
		d.quote(key)
		d.b = append(d.b, ':')
	}
}

func (d *doc) text(key, value string) {
	d.key(key)
	d.quote(value)
}

// textOrNull writes null for what is empty.
func (d *doc) textOrNull(key, value string) {
	if value == "" {
		d.raw(key, "null")
		return
	}
	d.text(key, value)
}

func (d *doc) number(key string, n int64) {
	d.key(key)
	d.b = strconv.AppendInt(d.b, n, 10)
}

func (d *doc) flag(key string, yes bool) {
	d.key(key)
	d.b = strconv.AppendBool(d.b, yes)
}

func (d *doc) texts(key string, list ...string) {
	d.open(key, '[')
	for _, s := range list {
		d.text("", s)
	}
	d.close(']')
}

// raw takes JSON as it is.
func (d *doc) raw(key, json string) {
	d.key(key)
	d.b = append(d.b, json...)
}

func (d *doc) quote(s string) {
	d.b = append(d.b, '"')
	from := 0
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		d.b = append(d.b, s[from:i]...)
		d.escape(s[i])
		from = i + 1
	}
	d.b = append(d.b, s[from:]...)
	d.b = append(d.b, '"')
}

func (d *doc) escape(c byte) {
	const hex = "0123456789abcdef"
	if c == '"' || c == '\\' {
		d.b = append(d.b, '\\', c)
		return
	}
	d.b = append(d.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// newDoc begins a text in memory that others have used before.
func (w *World) newDoc() *doc {
	if d, ok := w.docs.Get().(*doc); ok {
		return d
	}
	return &doc{b: make([]byte, 0, 1<<14)}
}

// free gives the memory back; the text must not be used any more.
func (w *World) free(d *doc) {
	d.b = d.b[:0]
	w.docs.Put(d)
}
