package account

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

const (
	tokenPrefix = "gdx_"
	alphabet    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretLen   = 30 // 178 random bits
	sumLen      = 6  // 62^6 is more than 2^32, so every checksum fits
	tokenLen    = len(tokenPrefix) + secretLen + sumLen
	shownLen    = len(tokenPrefix) + 4 // of the part that may be shown again
)

// NewToken returns a random token: "gdx_", 30 random characters of 0-9A-Za-z,
// and their checksum of 6 characters. It fails only if rand does.
func NewToken(rand io.Reader) (string, error) {
	var secret [secretLen]byte
	if err := fillFrom(alphabet, secret[:], rand); err != nil {
		return "", fmt.Errorf("generate token: %w", err)
	}
	sum := checksum(string(secret[:]))
	return tokenPrefix + string(secret[:]) + string(sum[:]), nil
}

// fillFrom fills dst with characters of alphabet, each equally likely. It skips
// bytes beyond the last whole multiple of the alphabet's length, because they
// would make the first characters more likely.
func fillFrom(alphabet string, dst []byte, rand io.Reader) error {
	n := len(alphabet)
	var raw [secretLen]byte
	for done := 0; done < len(dst); {
		if _, err := io.ReadFull(rand, raw[:]); err != nil {
			return err
		}
		for _, b := range raw {
			if int(b) < 256/n*n && done < len(dst) {
				dst[done] = alphabet[int(b)%n]
				done++
			}
		}
	}
	return nil
}

// CheckToken reports whether s has the form of a token and the right checksum.
// It detects every single wrong character and every swap of two neighbours.
func CheckToken(s string) bool {
	if len(s) != tokenLen || s[:len(tokenPrefix)] != tokenPrefix {
		return false
	}
	secret := s[len(tokenPrefix) : tokenLen-sumLen]
	sum := checksum(secret)
	return strings.Trim(secret, alphabet) == "" && s[tokenLen-sumLen:] == string(sum[:])
}

// checksum returns the CRC-32 (IEEE) of secret in base 62, padded with '0' on
// the left.
func checksum(secret string) [sumLen]byte {
	crc := crc32.ChecksumIEEE([]byte(secret))
	var sum [sumLen]byte
	for i := sumLen - 1; i >= 0; i-- {
		sum[i] = alphabet[crc%62]
		crc /= 62
	}
	return sum
}

// HashToken returns the SHA-256 of a token, the only form in which it is stored.
func HashToken(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// crockford is the base 32 alphabet without I, L, O and U. It is in ASCII order,
// so that encoded ids sort like their bits.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewKeyID returns "key_" and 26 characters: 48 bits of now, then 80 random
// bits. Ids of different milliseconds sort by time. It fails only if rand
// does.
func NewKeyID(now int64, rand io.Reader) (string, error) {
	id, err := sortableID(now, rand)
	if err != nil {
		return "", fmt.Errorf("generate key id: %w", err)
	}
	return "key_" + id, nil
}

func sortableID(now int64, rand io.Reader) (string, error) {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(max(now, 0))<<16)
	if _, err := io.ReadFull(rand, raw[6:]); err != nil {
		return "", err
	}
	hi, lo := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	var text [26]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(text[:]), nil
}
