package resolve

// BySound returns how many titles were searched by their sound in vain.
func (r *Resolver) BySound() int { return r.bySound }
