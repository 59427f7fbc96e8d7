package consolestore_test

import (
	"fmt"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// text formats a page for review.
func text(p sweep.Page) string {
	var b strings.Builder
	for i := range p.Parts {
		writePart(&b, &p.Parts[i])
	}
	for _, id := range p.Present {
		fmt.Fprintf(&b, "present %s\n", id)
	}
	for _, item := range p.Items {
		fmt.Fprintf(&b, "item %s %s %s\n", item.Kind, item.ID, item.Mark)
	}
	if p.Gone {
		b.WriteString("gone\n")
	}
	if p.Interrupted {
		b.WriteString("interrupted\n")
	}
	if p.Next != "" {
		fmt.Fprintf(&b, "next %s\n", p.Next)
	}
	fmt.Fprintf(&b, "requests %d\n", p.Requests)
	return b.String()
}

func writePart(b *strings.Builder, p *sweep.Part) {
	fmt.Fprintf(b, "%s %s %s\n", p.Region, p.Product, p.ObservedAt.Time().Format(time.RFC3339))
	f, prose := &p.Facts, &p.Prose
	for _, field := range []struct {
		flag  sweep.Shows
		name  string
		value any
	}{
		{sweep.ShowsPrice, "price", priceText(p.Price)},
		{sweep.ShowsTitle, "title", fmt.Sprintf("%q %s", f.Title, p.Locale)},
		{sweep.ShowsTitles, "titles", f.Titles},
		{sweep.ShowsFamily, "family", f.Family},
		{sweep.ShowsFamilyName, "family name", f.FamilyName},
		{sweep.ShowsInvariantName, "invariant name", f.InvariantName},
		{sweep.ShowsTitleIDs, "title ids", f.TitleIDs},
		{sweep.ShowsType, "type", f.Type},
		{sweep.ShowsDemo, "demo", f.Demo},
		{sweep.ShowsEdition, "edition", fmt.Sprintf("%q", f.Edition)},
		{sweep.ShowsPlatforms, "platforms", f.Platforms},
		{sweep.ShowsDescription, "description", fmt.Sprintf("%q", prose.Description)},
		{sweep.ShowsPublisher, "publisher", prose.Publisher},
		{sweep.ShowsReleaseDate, "released", prose.ReleaseDate},
		{sweep.ShowsGenres, "genres", fmt.Sprintf("%q", prose.Genres)},
		{sweep.ShowsRating, "rating", prose.RatingSystem + " " + prose.RatingAge},
		{sweep.ShowsImages, "images", fmt.Sprintf("%s %s %d", prose.Cover, prose.Logo, len(prose.Screenshots))},
		{sweep.ShowsStoreURL, "page", p.StoreURL},
		{sweep.ShowsPopularity, "popularity", p.Popularity},
	} {
		if (p.Shows|p.Guesses)&field.flag == 0 {
			continue
		}
		sure := ""
		if p.Shows&field.flag == 0 {
			sure = "?"
		}
		fmt.Fprintf(b, "    %s%s: %v\n", field.name, sure, field.value)
	}
}

// priceText formats a price on one line: numbers, texts, then what is special.
func priceText(p *catalog.Price) string {
	if p == nil {
		return "not for sale"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/%s %q/%q", p.Currency, amountText(p.Current), amountText(p.Base), p.CurrentText, p.BaseText)
	if p.DiscountPercent != catalog.NoPercent {
		fmt.Fprintf(&b, " %d%%", p.DiscountPercent)
	}
	if p.DiscountLabel != "" {
		fmt.Fprintf(&b, " label %q", p.DiscountLabel)
	}
	if p.DiscountEndsAt != 0 {
		fmt.Fprintf(&b, " until %s", p.DiscountEndsAt.Time().Format(time.RFC3339))
	}
	if p.Trial {
		b.WriteString(" trial")
	}
	if p.Subscription {
		b.WriteString(" subscription")
	}
	if p.Source != "" {
		b.WriteString(" " + p.Source)
	}
	return b.String()
}

func amountText(a money.Amount) string {
	if !a.Known() {
		return "-"
	}
	return fmt.Sprint(int64(a))
}
