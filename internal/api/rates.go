package api

import "gamedex/internal/api/respond"

// exchangeRates answers GET /catalog/exchange-rates.
func (rq *request) exchangeRates() error {
	if err := rq.params().err(); err != nil {
		return err
	}
	v, err := rq.view()
	if err != nil {
		return err
	}
	if v.Rates.IsZero() {
		return unavailable("no exchange rates yet", nil)
	}
	if rq.unchanged(rq.newTag().Number(v.Rates.Hash()).Number(uint64(v.Rates.UpdatedAt()))) {
		return nil
	}
	return rq.sendData(func(b *respond.Body) { b.Buf = v.Rates.AppendJSON(b.Buf) })
}
