package admin

import (
	"context"
	"errors"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// who is a user, a command or an email address, as pages show it.
type who struct {
	ID    string // what is stored
	Email string // "" if the id is not that of a user
}

// people finds the users of one page, each of them once.
type people struct {
	ctx   context.Context
	users Users
	known map[string]string
}

func (p *Pages) people(v *web.Visit) *people {
	return &people{v.Context(), p.Users, map[string]string{}}
}

// find returns what to show for an id, which may be that of a user.
func (p *people) find(id string) (who, error) {
	if !strings.HasPrefix(id, "usr_") {
		return who{ID: id}, nil
	}
	email, seen := p.known[id]
	if !seen {
		u, err := p.users.FindUser(p.ctx, id)
		if err != nil && !errors.Is(err, account.ErrNotFound) {
			return who{}, web.StoreError(err)
		}
		email = u.Email
		p.known[id] = email
	}
	return who{id, email}, nil
}
