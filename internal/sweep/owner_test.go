package sweep_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

func TestNextOwner(t *testing.T) {
	none := sweep.Owner{}
	prices, editions, addOns := sweep.Owner{Kind: sweep.Prices, At: 7}, sweep.Owner{Kind: sweep.Editions, At: 8}, sweep.Owner{Kind: sweep.AddOns, At: 8}
	details, later, titles := sweep.Owner{Kind: sweep.Details, At: 8}, sweep.Owner{Kind: sweep.Details, At: 9}, sweep.Owner{Kind: sweep.Titles, At: 9}
	tests := []struct {
		name   string
		before sweep.Owner
		listed bool
		by     sweep.Owner
		want   sweep.Owner
	}{
		{"prices own a new listing", none, false, prices, prices},
		{"editions take over from prices", prices, true, editions, editions},
		{"add-ons take over from details", details, true, addOns, addOns},
		{"prices take over from an import", none, true, prices, prices},
		{"details own a new listing", none, false, details, details},
		{"details own a listing that was withdrawn", prices, false, details, details},
		{"details keep their own", details, true, later, later},
		{"details do not take over from prices", prices, true, details, prices},
		{"details do not take over from an import", none, true, details, none},
		{"titles own no listing", prices, true, titles, prices},
		{"titles do not own a new listing", none, false, titles, none},
	}
	for _, tt := range tests {
		if got := sweep.NextOwner(tt.before, tt.listed, tt.by); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestOwnerAfterImport(t *testing.T) {
	swept := sweep.Owner{Kind: sweep.Prices, At: 7}
	tests := []struct {
		name   string
		effect catalog.Effect
		news   bool
		want   sweep.Owner
	}{
		{"new", catalog.New, true, sweep.Owner{}},
		{"changed", catalog.Changed, true, sweep.Owner{}},
		{"seen again", catalog.Unchanged, true, sweep.Owner{}},
		{"the same line again", catalog.Unchanged, false, swept},
		{"older", catalog.Older, false, swept},
		{"older, and first seen earlier", catalog.Older, true, swept},
	}
	for _, tt := range tests {
		if got := sweep.OwnerAfterImport(swept, tt.effect, tt.news); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
