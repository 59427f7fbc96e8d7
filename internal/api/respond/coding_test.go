package respond

import "testing"

func TestNegotiate(t *testing.T) {
	for header, want := range map[string]Coding{
		"":                            identity,
		"gzip":                        gzipped,
		"zstd":                        zstandard,
		"gzip, zstd":                  zstandard,
		"gzip;q=1.0, zstd;q=0.5":      gzipped,
		"GZIP ; Q=0.3":                gzipped,
		"x-gzip":                      gzipped,
		"br, deflate":                 identity,
		"*":                           gzipped,
		"*, zstd;q=0.5":               gzipped,
		"gzip;q=0, *":                 identity,
		"identity, *;q=0.5":           identity,
		"*;q=0":                       identity,
		"zstd;q=0, *":                 gzipped,
		"gzip;q=0":                    identity,
		"gzip;q=0, zstd;q=0.000":      identity,
		"identity, gzip":              gzipped,
		"identity;q=1, gzip;q=0.5":    identity,
		"identity;q=0.5, gzip;q=0.5":  gzipped,
		"identity;q=0, gzip;q=0.1":    gzipped,
		"gzip;q=nonsense":             identity,
		"gzip;q=2":                    identity,
		"gzip, deflate, br, zstd;q=0": gzipped,
		" , ;, gzip":                  gzipped,
	} {
		if got := negotiate([]string{header}); got != want {
			t.Errorf("negotiate(%q) = %q, want %q", header, got, want)
		}
	}
	if got := negotiate(nil); got != identity {
		t.Errorf("negotiate(nil) = %q", got)
	}
	if got := negotiate([]string{"br", "gzip"}); got != gzipped {
		t.Errorf("two header lines: %q", got)
	}
}
