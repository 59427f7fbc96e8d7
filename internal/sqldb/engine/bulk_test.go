package engine_test

import (
	"testing"

	"gamedex/internal/sqldb/engine"
)

func TestBulkTexts(t *testing.T) {
	in := &engine.Insert{Table: "t", Columns: "a, b", Then: "ON CONFLICT (a) DO NOTHING"}
	up := &engine.Update{Table: "t", Set: "a, b", Key: "c, d"}
	some := &engine.Update{Table: "t", Set: "a", Key: "c", If: "t.x = new.y AND t.z <= new.most", Given: "y, most"}
	for got, want := range map[string]string{
		in.Text(1):  "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING",
		in.Text(2):  "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT (a) DO NOTHING",
		up.Text():   "UPDATE t SET a = $1, b = $2 WHERE c = $3 AND d = $4",
		some.Text(): "UPDATE t SET a = $1 WHERE c = $2 AND t.x = $3 AND t.z <= $4",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if in.Width() != 2 || up.Width() != 4 || some.Width() != 4 {
		t.Errorf("%d, %d and %d values, want 2, 4 and 4", in.Width(), up.Width(), some.Width())
	}
}

// TestConditions checks that both engines' conditions are scanned.
func TestConditions(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  bool
		fails bool
	}{{int64(0), false, false}, {int64(1), true, false}, {true, true, false}, {false, false, false}, {"1", false, true}, {nil, false, true}} {
		got := !tt.want
		err := (*engine.Bool)(&got).Scan(tt.value)
		if (err != nil) != tt.fails || err == nil && got != tt.want {
			t.Errorf("%T %v is scanned as %v, %v", tt.value, tt.value, got, err)
		}
	}
}
