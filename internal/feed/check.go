package feed

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// The bounds of doc/feed.md. A line's own is in lines.go.
const (
	maxProduct     = 128      // bytes
	maxTitle       = 500      // code points
	maxDescription = 64 << 10 // bytes
	maxText        = 4 << 10  // bytes, of every other text
	maxURL         = 2048     // bytes
	maxList        = 200      // entries

	maxAhead  = catalog.Millis(10 * time.Minute / time.Millisecond)
	maxMillis = catalog.Millis(253402300799999) // the end of the year 9999
)

// Check completes a listing in place and returns the first broken rule of the format,
// as a *LineError without a line. It checks every listing: from a line, a connector or
// the sample catalog.
//
// Check converts slugs to their one form and the currency to its case. It removes the names of the
// standard edition and empty list entries, decodes HTML entities in titles and names,
// sorts Titles and sets Type to Game by default. A price without base has no discount;
// Check computes a missing percentage. A number that contradicts its text is doubtful, and
// a zero with a text that is no price is removed.
// A second Check of a listing changes nothing.
func Check(l *catalog.Listing, now catalog.Millis) error {
	_, _, err := check(l, now)
	return err
}

// check is Check. It also reports whether entities were decoded, and returns what is wrong
// with a price that is accepted; nil if nothing is.
func check(l *catalog.Listing, now catalog.Millis) (decoded bool, warning *LineError, err error) {
	decoded = decodeNames(&l.Facts)
	refused := cmp.Or(checkKey(l), checkFacts(l), checkProse(l))
	if refused == nil && l.Price != nil {
		refused = checkPrice(l.Price, l.ObservedAt)
	}
	if refused = cmp.Or(refused, checkTimes(l, now)); refused != nil {
		return decoded, nil, refused
	}
	return decoded, compareTexts(l), nil
}

func checkKey(l *catalog.Listing) *LineError {
	switch {
	case l.Platform == 0:
		return missing("platform")
	case l.Platform.String() == "":
		return refuse("platform", "", "is not one of consolestore, pcstore")
	case l.Region == catalog.Region{}:
		return missing("region")
	}
	return cmp.Or(required("product", l.Product, true), checkProduct("product", l.Product))
}

func checkProduct(field, s string) *LineError {
	if len(s) > maxProduct {
		return refuse(field, quoted(s), fmt.Sprintf("is longer than %d bytes", maxProduct))
	}
	return cmp.Or(checkText(field, s), checkNoControl(field, s))
}

func checkFacts(l *catalog.Listing) *LineError {
	f := &l.Facts
	if f.Type == 0 {
		f.Type = catalog.Game
	}
	switch strings.ToLower(strings.TrimSpace(f.Edition)) {
	case "", "standard", "standard edition", "base game":
		f.Edition = "" // these names mean that there is no edition
	}
	return cmp.Or(
		checkText("family", f.Family),
		checkText("familyName", f.FamilyName),
		required("slug", f.Slug, l.Platform == catalog.PCStore && !l.Withdrawn),
		checkSlug("slug", &f.Slug),
		checkList("aliases", &f.Aliases, checkSlug),
		checkList("titleIds", &f.TitleIDs, checkEntry),
		required("title", f.Title, !l.Withdrawn),
		checkTitle("title", f.Title),
		checkLocale("locale", l.Locale),
		checkTitles(f),
		checkText("invariantName", f.InvariantName),
		checkText("edition", f.Edition),
		checkType(l.Platform, f.Type),
		checkList("platforms", &f.Platforms, checkEntry),
		checkList("members", &f.Members, func(field string, s *string) *LineError {
			return checkProduct(field, *s)
		}),
	)
}

func checkType(p catalog.Platform, t catalog.Type) *LineError {
	switch {
	case t.String() == "":
		return refuse("type", "", "is not a type of the format")
	case t == catalog.Base && p != catalog.PCStore:
		return refuse("type", `"base"`, "is for pcstore only")
	}
	return nil
}

func checkTitle(field, s string) *LineError {
	if s != "" && strings.TrimSpace(s) == "" {
		return refuse(field, quoted(s), "is blank")
	}
	if len(s) > maxTitle && utf8.RuneCountInString(s) > maxTitle {
		return refuse(field, quoted(s), fmt.Sprintf("is longer than %d characters", maxTitle))
	}
	return checkText(field, s)
}

func checkTitles(f *catalog.Facts) *LineError {
	f.Titles = slices.DeleteFunc(f.Titles, func(t catalog.LocalTitle) bool { return t.Title == "" })
	if len(f.Titles) == 0 {
		f.Titles = nil
		return nil
	}
	if len(f.Titles) > maxList {
		return tooMany("titles")
	}
	slices.SortStableFunc(f.Titles, func(a, b catalog.LocalTitle) int { return strings.Compare(a.Locale, b.Locale) })
	for i, t := range f.Titles {
		if !locale.MatchString(t.Locale) {
			return refuse("titles", quoted(t.Locale), "is not a language tag (BCP 47)")
		}
		field := "titles." + t.Locale
		if i > 0 && f.Titles[i-1].Locale == t.Locale {
			return refuse(field, "", "is given twice")
		}
		if refused := checkTitle(field, t.Title); refused != nil {
			return refused
		}
	}
	return nil
}

func checkLocale(field, s string) *LineError {
	if s != "" && !locale.MatchString(s) {
		return refuse(field, quoted(s), "is not a language tag (BCP 47)")
	}
	return nil
}

// locale is the form of a BCP 47 tag; the registry is not checked.
var locale = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

func checkProse(l *catalog.Listing) *LineError {
	p := &l.Prose
	if len(p.Description) > maxDescription {
		return refuse("description", quoted(p.Description), fmt.Sprintf("is longer than %d bytes", maxDescription))
	}
	return cmp.Or(
		checkString("description", p.Description),
		checkText("publisher", p.Publisher),
		checkText("developer", p.Developer),
		checkURL("storeUrl", &l.StoreURL),
		checkDate("releaseDate", p.ReleaseDate),
		checkList("genres", &p.Genres, checkEntry),
		checkText("rating.age", p.RatingAge),
		checkText("rating.system", p.RatingSystem),
		checkURL("images.thumbnail", &p.Thumbnail),
		checkURL("images.cover", &p.Cover),
		checkURL("images.logo", &p.Logo),
		checkList("images.screenshots", &p.Screenshots, checkURL),
		checkPopularity(&l.Popularity),
	)
}

func checkPopularity(n *float64) *LineError {
	if !(*n >= 0) || math.IsInf(*n, 1) {
		return refuse("popularity", fmt.Sprint(*n), "is not a number of 0 or more")
	}
	*n = math.Abs(*n) // no negative zero
	return nil
}

func checkTimes(l *catalog.Listing, now catalog.Millis) *LineError {
	if l.ObservedAt == 0 {
		return missing("observedAt")
	}
	if l.ObservedAt > now+maxAhead {
		return refuse("observedAt", stamp(l.ObservedAt), "is more than 10 minutes ahead of the clock: is it local time without its offset?")
	}
	return cmp.Or(
		checkTime("observedAt", l.ObservedAt),
		checkPast("firstSeenAt", l.FirstSeenAt, l.ObservedAt),
		checkPast("pricedAt", l.PricedAt, l.ObservedAt),
	)
}

func checkPast(field string, at, observed catalog.Millis) *LineError {
	if at > observed {
		return refuse(field, stamp(at), "is after observedAt "+stamp(observed))
	}
	return checkTime(field, at)
}

func checkTime(field string, at catalog.Millis) *LineError {
	if at < 0 || at > maxMillis {
		return refuse(field, "", "is not between the years 1970 and 9999")
	}
	return nil
}

func stamp(at catalog.Millis) string { return at.Time().Format(time.RFC3339Nano) }

func checkList(field string, list *[]string, check func(string, *string) *LineError) *LineError {
	*list = slices.DeleteFunc(*list, func(s string) bool { return s == "" })
	if len(*list) == 0 {
		*list = nil
		return nil
	}
	if len(*list) > maxList {
		return tooMany(field)
	}
	for i := range *list {
		if refused := check(field, &(*list)[i]); refused != nil {
			return refused
		}
	}
	return nil
}

func checkEntry(field string, s *string) *LineError { return checkText(field, *s) }

// checkSlug converts a slug to its one form, see [catalog.Slug].
func checkSlug(field string, s *string) *LineError {
	if *s == "" {
		return nil
	}
	slug := catalog.Slug(*s)
	if slug == "" {
		return refuse(field, quoted(*s), "is not a slug: 1 to 128 bytes of letters, digits, -, _ and .")
	}
	*s = slug
	return nil
}

// checkURL checks only the form; the program never fetches the URLs of a feed.
func checkURL(field string, s *string) *LineError {
	switch {
	case *s == "":
		return nil
	case len(*s) > maxURL:
		return refuse(field, quoted(*s), fmt.Sprintf("is longer than %d bytes", maxURL))
	}
	scheme, rest, _ := strings.Cut(*s, "://")
	web := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	if !web || rest == "" || strings.ContainsRune("/?#", rune(rest[0])) {
		return refuse(field, quoted(*s), "is not an http or https URL")
	}
	return cmp.Or(checkText(field, *s), checkNoControl(field, *s))
}

// checkText checks a short text: as checkString does, and its length, because an API
// answer has many of them.
func checkText(field, s string) *LineError {
	if len(s) > maxText {
		return refuse(field, quoted(s), fmt.Sprintf("is longer than %d bytes", maxText))
	}
	return checkString(field, s)
}

// checkString checks that a string is valid UTF-8 without NUL, which some databases
// cannot store.
func checkString(field, s string) *LineError {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return refuse(field, quoted(s), "holds a NUL character")
	case !utf8.ValidString(s):
		return refuse(field, "", "is not valid UTF-8")
	}
	return nil
}

func checkNoControl(field, s string) *LineError {
	if strings.IndexFunc(s, unicode.IsControl) >= 0 {
		return refuse(field, quoted(s), "has a control character")
	}
	return nil
}

func required(field, value string, needed bool) *LineError {
	if needed && value == "" {
		return missing(field)
	}
	return nil
}

func missing(field string) *LineError { return refuse(field, "", "is required") }

func tooMany(field string) *LineError {
	return refuse(field, "", fmt.Sprintf("has more than %d entries", maxList))
}

func checkDate(field, s string) *LineError {
	if _, err := time.Parse(time.DateOnly, s); s != "" && err != nil {
		return refuse(field, quoted(s), "is not a date (YYYY-MM-DD)")
	}
	return nil
}

func amount(a money.Amount) string { return strconv.FormatInt(int64(a), 10) }
