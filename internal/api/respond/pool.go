package respond

import (
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/api/deflate"
)

const (
	// keptSize is the largest buffer that is kept for the next answer.
	keptSize = 1 << 20

	// compressorSize is the most that a compressor of any kind holds besides the
	// chunk.
	compressorSize = 768 << 10
	_              = uint(compressorSize - deflate.Size) // does not compile if it is too small

	// zstdWindow bounds the memory of a zstd writer; answers repeat themselves
	// at far shorter distances.
	zstdWindow = 256 << 10
)

// Pool bounds the memory that all requests in progress hold together, for bodies
// and answers, and keeps buffers and compressors of finished ones for the next. It
// is safe for concurrent use.
type Pool struct {
	memory *memory
	small  sync.Pool // of *[]byte
	large  sync.Pool // of *[]byte
	gzip   sync.Pool // of compressor
	zstd   sync.Pool // of compressor
	hinted sync.Pool // of *deflate.Writer
}

// NewPool returns a pool that bounds the memory of all requests to size bytes. An owner may
// always have request bytes and an answer.
func NewPool(size, request int64) *Pool {
	p := &Pool{memory: newMemory(size, request+answerSize(gzipped))}
	p.small.New, p.large.New = newBuffer(smallSize+chunkSlack), newBuffer(chunkSize+chunkSlack)
	return p
}

func newBuffer(size int) func() any {
	return func() any {
		b := make([]byte, 0, size)
		return &b
	}
}

// answerSize returns the most bytes that a large answer of a coding holds.
func answerSize(c Coding) int64 {
	if c == identity {
		return chunkSize + chunkSlack
	}
	return chunkSize + chunkSlack + compressorSize
}

// compressor is a writer of either coding.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

func (p *Pool) compressors(c Coding) *sync.Pool {
	if c == zstandard {
		return &p.zstd
	}
	return &p.gzip
}

// takeCompressor returns a compressor that writes to w.
func (p *Pool) takeCompressor(c Coding, w io.Writer) (z compressor) {
	if kept, ok := p.compressors(c).Get().(compressor); ok {
		kept.Reset(w)
		return kept
	}
	// The levels and sizes are valid, so that there is no error.
	if c == gzipped {
		z, _ = gzip.NewWriterLevel(w, gzip.BestSpeed)
	} else {
		z, _ = zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	}
	return z
}

// Coding is a content coding of answers.
type Coding string

const (
	identity  Coding = ""
	gzipped   Coding = "gzip"
	zstandard Coding = "zstd"
)

// negotiate returns the coding that the client prefers; among equals, zstd
// before gzip. The asterisk of a client that takes any coding means gzip: many
// that send it cannot read zstd. If the client accepts neither, the answer has no
// coding, even if the client refuses that too.
func negotiate(headers []string) Coding {
	if len(headers) == 0 {
		return identity
	}
	header := strings.Join(headers, ",")
	// A client that does not name identity prefers every coding it names.
	best, weight := identity, 0.0
	for part := range strings.SplitSeq(header, ",") {
		if name, q := parseCoding(part); strings.EqualFold(name, "identity") {
			weight = q
			break
		}
	}
	for _, c := range [...]Coding{zstandard, gzipped} {
		if w := codingWeight(header, c); w > 0 && (w > weight || best == identity && w >= weight) {
			best, weight = c, w
		}
	}
	return best
}

// codingWeight returns the weight that a client gives a coding, by its name or,
// for gzip, by the asterisk; 0 if it does not accept it.
func codingWeight(header string, c Coding) (weight float64) {
	for part := range strings.SplitSeq(header, ",") {
		name, q := parseCoding(part)
		switch {
		case strings.EqualFold(name, string(c)), c == gzipped && strings.EqualFold(name, "x-gzip"):
			return q
		case c == gzipped && name == "*":
			weight = q
		}
	}
	return weight
}

// parseCoding reads "gzip;q=0.5". The weight is 1 if there is none, and 0 if it
// is not valid.
func parseCoding(part string) (name string, weight float64) {
	name, rest, _ := strings.Cut(part, ";")
	name, weight = strings.TrimSpace(name), 1
	key, text, ok := strings.Cut(strings.TrimSpace(rest), "=")
	if ok && strings.EqualFold(strings.TrimSpace(key), "q") {
		q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return name, 0
		}
		weight = q
	}
	return name, weight
}
