package api

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
	if rq.unchanged(rq.newTag(rq.tag[:0]).number(v.Rates.Hash()).number(uint64(v.Rates.UpdatedAt()))) {
		return nil
	}
	return rq.success(v.Rates.AppendJSON)
}
