package dashboard

import (
	"errors"

	"gamedex/internal/account"
)

// wrongs says what is wrong with a form: field to key of the sentence. A page
// shows it with status 422 and what was entered, passwords excepted.
type wrongs map[string]string

// wrongField makes of the error of a check what a form shows: "wrong.FIELD" is
// the sentence. ok is false for other errors.
func wrongField(err error) (w wrongs, ok bool) {
	var field *account.FieldError
	if !errors.As(err, &field) {
		return nil, false
	}
	return wrongs{field.Field: "wrong." + field.Field}, true
}
