package stands

import (
	"time"

	"gamedex/internal/index"
)

// resultOf is a card as search shows it.
func resultOf(v *index.View, c index.Card) result {
	r := result{
		ID: c.ID(), Platform: c.Platform().String(), Title: c.Title(), Type: c.Type().String(),
		Thumbnail: c.Thumbnail(), StoreURL: c.StoreURL(), Regions: []string{},
	}
	rows := c.Rows()
	for _, region := range v.Active() {
		if _, ok := rows.InRegion(region.No); ok {
			r.Regions = append(r.Regions, region.Lower)
		}
	}
	if row, ok := c.SimplePrice(time.Now().UnixMilli()); ok {
		r.Price = priceOf(v, row)
	}
	return r
}

func priceOf(v *index.View, row index.Row) *resultPrice {
	p := &resultPrice{Currency: string(v.Currency(row.Currency)), Formatted: row.CurrentText()}
	if row.Current.Known() {
		amount := int64(row.Current)
		p.Value = &amount
	}
	if row.Discounted() && row.Base.Known() {
		p.Discount = &resultDiscount{Percentage: int(row.Percent), OriginalPrice: int64(row.Base)}
		if row.EndsAt != 0 {
			p.Discount.EndsAt = time.UnixMilli(row.EndsAt).UTC().Format("2006-01-02T15:04:05.999Z07:00")
		}
	}
	return p
}
