package account_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/account"
)

// sample has letters that Unicode can encode in two ways; parted is the same password in
// the other encoding.
const (
	sample = "жёлтый дом é"
	parted = "же\u0308лтыи\u0306 дом e\u0301"
)

func hashed(t *testing.T, p *account.Passwords, password string) string {
	t.Helper()
	phc, err := p.Hash(t.Context(), password)
	must(t, err)
	return phc
}

func TestPasswordsFitTheirHashes(t *testing.T) {
	p := account.NewPasswords(2)
	phc := hashed(t, p, sample)
	if !strings.HasPrefix(phc, "$argon2id$v=19$m=19456,t=2,p=1$") || len(phc) != len(account.NoHash) {
		t.Errorf("the hash is %s", phc)
	}
	if again := hashed(t, p, sample); again == phc {
		t.Error("two hashes of a password are equal, so they have no salt")
	}
	tests := []struct {
		name, password, phc string
		want                bool
	}{
		{"right", sample, phc, true},
		{"right, letters in two parts", parted, phc, true},
		{"right, letters in two parts at first", sample, hashed(t, p, parted), true},
		{"other case", strings.ToUpper(sample), phc, false},
		{"space after", sample + " ", phc, false},
		{"empty", "", phc, false},
		{"longer than any", sample + strings.Repeat("x", 200), phc, false},
		{"NUL", sample + "\x00", phc, false},
		{"no UTF-8", sample + "\xff", phc, false},
	}
	for _, tt := range tests {
		if got, err := p.Check(t.Context(), tt.password, tt.phc); err != nil || got != tt.want {
			t.Errorf("%s: got %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

// TestCheckWithoutHashCostsTheSame checks that a check without a hash costs as much as one
// with a hash. It compares the memory, which can be measured better than time. Two rounds
// in the same memory allocate it once.
func TestCheckWithoutHashCostsTheSame(t *testing.T) {
	p := account.NewPasswords(1)
	phc := hashed(t, p, sample)
	salt, key := phc[31:53], phc[54:]
	tests := []struct{ name, phc string }{
		{"another password's", hashed(t, p, sample+"!")},
		{"none", ""},
		{"the stand-in itself", account.NoHash},
		{"no hash at all", "password"},
		{"cut off", phc[:60]},
		{"more parts", phc + "$x"},
		{"another variant", strings.Replace(phc, "argon2id", "argon2i", 1)},
		{"another version", strings.Replace(phc, "v=19", "v=16", 1)},
		{"four tebibytes", "$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key},
		{"rounds without end", "$argon2id$v=19$m=19456,t=4294967295,p=1$" + salt + "$" + key},
		{"no rounds", "$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + key},
		{"no lanes", "$argon2id$v=19$m=19456,t=2,p=0$" + salt + "$" + key},
		{"many lanes", "$argon2id$v=19$m=19456,t=2,p=255$" + salt + "$" + key},
		{"little memory", "$argon2id$v=19$m=8,t=1,p=1$" + salt + "$" + key},
		{"negative", "$argon2id$v=19$m=-1,t=-1,p=-1$" + salt + "$" + key},
		{"no key", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$"},
		{"no salt", "$argon2id$v=19$m=19456,t=2,p=1$$" + key},
		{"long key", "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + strings.Repeat("A", 1<<16)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			used := allocated(func() {
				if got, err := p.Check(t.Context(), sample, tt.phc); err != nil || got {
					t.Errorf("got %v, %v, want false", got, err)
				}
			})
			if used < 19<<20 || used > 21<<20 {
				t.Errorf("took %d KiB, a hash takes %d", used>>10, 19<<10)
			}
		})
	}
}

func TestHugePasswordsAreNotHashed(t *testing.T) {
	p := account.NewPasswords(1)
	phc, huge := hashed(t, p, sample), strings.Repeat("x", 1<<24)
	used := allocated(func() {
		if ok, err := p.Check(t.Context(), huge, phc); ok || err != nil {
			t.Errorf("Check: %v, %v", ok, err)
		}
		var field *account.FieldError
		if _, err := p.Hash(t.Context(), huge); !errors.As(err, &field) || field.Field != "password" || len(err.Error()) > 100 {
			t.Errorf("Hash: %v", err)
		}
		if err := account.CheckPassword(huge, "ann@example.com"); err == nil {
			t.Error("CheckPassword accepts it")
		}
	})
	if used > 1<<20 {
		t.Errorf("took %d KiB", used>>10)
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestBusyPasswords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := account.NewPasswords(2)
		first, second := p.HoldTurn(), p.HoldTurn()
		began := time.Now()
		ok, err := p.Check(t.Context(), sample, "")
		if ok || !errors.Is(err, account.ErrBusy) || strings.Contains(err.Error(), sample) {
			t.Errorf("Check: %v, %v, want ErrBusy", ok, err)
		}
		if waited := time.Since(began); waited != account.TurnTimeout {
			t.Errorf("waited %s", waited)
		}
		wantIs(t, "Hash", one(p.Hash(t.Context(), sample)), account.ErrBusy)
		time.AfterFunc(account.TurnTimeout-time.Millisecond, first)
		if _, err := p.Hash(t.Context(), sample); err != nil {
			t.Errorf("a turn that came in time: %v", err)
		}
		second()
	})
}

func TestPasswordsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := account.NewPasswords(0) // at least one
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release := p.HoldTurn()
		if _, err := p.Check(ctx, sample, ""); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, account.ErrBusy) {
			t.Errorf("while waiting: %v", err)
		}
		release()
		for range 20 { // a free turn must not start a hash
			wantIs(t, "after the end", one(p.Hash(ctx, sample)), context.DeadlineExceeded)
		}
	})
}
