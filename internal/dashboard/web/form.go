package web

import (
	"errors"
	"net/url"
	"strings"

	"gamedex/internal/account"
)

// FieldErrors is what is wrong with a form: a message key for each wrong field.
// A page shows them with status 422 and what was entered, except passwords.
type FieldErrors map[string]string

// FieldErrorsOf returns what a form shows for the error of a check: the message
// "wrong.FIELD". It reports false for other errors.
func FieldErrorsOf(err error) (FieldErrors, bool) {
	var field *account.FieldError
	if !errors.As(err, &field) {
		return nil, false
	}
	return FieldErrors{field.Field: "wrong." + field.Field}, true
}

// LocalPath returns wanted if it is a path of this server, and fallback if a
// browser might take it for another server's.
func LocalPath(wanted, fallback string) string {
	u, err := url.Parse(wanted)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return fallback
	}
	if !strings.HasPrefix(wanted, "/") || strings.HasPrefix(wanted, "//") || strings.ContainsAny(wanted, "\\\t\r\n") ||
		strings.HasPrefix(u.Path, "//") {
		return fallback
	}
	return wanted
}
