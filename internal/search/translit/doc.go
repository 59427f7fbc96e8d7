// Package translit reads a text that was typed in the wrong script.
//
//	"сниукзгтл" ─► Layouts ─► "cyberpunk"     keys of another keyboard layout
//	"киберпанк" ─► Read ─► Sound ─┐
//	"cyberpunk" ─► Read ─► Sound ─┴► Cost  whether two words sound alike, and how much they differ
//
// A sound has a Key: its consonants, without what the two scripts write
// differently. Words can only sound alike if they have a key in common, so an index
// of keys finds the candidates, and Cost compares their vowels.
//
// Between Russian and English the sound is compared in both ways: an English word
// is read as Russian speakers pronounce it ("heat" is хит), and a Latin word as
// Russian in Latin letters ("vedmak" is ведьмак).
//
// The package knows Russian and Ukrainian Cyrillic, and no other Cyrillic alphabets. It
// refuses to guess which word is meant.
package translit
