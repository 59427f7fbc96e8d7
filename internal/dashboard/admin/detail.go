package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// maxDetailLen bounds a detail, in code points.
const maxDetailLen = 300

// detailText returns the detail of an audit entry in the visitor's language. Names, reasons
// and whatever it does not know stay as they are.
func detailText(v *web.Visit, e account.AuditEntry) string {
	detail := web.Shorten(e.Detail, maxDetailLen)
	switch e.Action {
	case account.KeyLimits:
		return limitsText(v, detail)
	case account.KeyRename:
		if detail != "" { // it is erased with the owner
			return v.T("audit.old-name", detail)
		}
	case account.KeySuspend, account.KeyResume:
		if detail == account.SuspendedWithUser {
			return v.T("admin.key.with-user")
		}
	case account.LinkCreate, account.LinkRevoke, account.UserCreate:
		return linkText(v, detail)
	case account.PlatformSet:
		return choiceText(v, detail)
	case account.OverridesImport:
		if n, err := strconv.Atoi(strings.TrimSuffix(detail, " rules")); err == nil {
			return v.N("audit.rules", n)
		}
	}
	return detail
}

// defaultLimit is what the audit log says about a limit that is not the key's own.
const defaultLimit = "default"

// limitsDetail returns what the audit log says about limits; "" is the default.
func limitsDetail(minute, day string) string {
	return "minute " + cmp.Or(minute, defaultLimit) + ", day " + cmp.Or(day, defaultLimit)
}

// limitsText translates what limitsDetail returns.
func limitsText(v *web.Visit, detail string) string {
	minute, day, ok := strings.Cut(strings.TrimPrefix(detail, "minute "), ", day ")
	if !ok {
		return detail
	}
	limit := func(text string) string {
		if text == defaultLimit {
			return v.T("audit.default")
		}
		if n, err := strconv.Atoi(text); err == nil {
			return v.Number(n)
		}
		return text
	}
	return v.T("audit.limits", limit(minute), limit(day))
}

// linkText translates the purpose of a link, and the word for an administrator.
func linkText(v *web.Visit, detail string) string {
	words := strings.Split(detail, ", ")
	for i, word := range words {
		switch purpose := account.Purpose(word); {
		case word == "administrator":
			words[i] = v.T("admin.user.state.admin")
		case purpose == account.LinkInvite || purpose == account.LinkReset || purpose == account.LinkSetup:
			words[i] = v.T(fmt.Sprintf("admin.link.purpose.%s", word))
		}
	}
	return strings.Join(words, ", ")
}

// choiceText translates a choice for a platform.
func choiceText(v *web.Visit, choice string) string {
	if slices.Contains(platformChoices, choice) {
		return v.T(fmt.Sprintf("admin.platform.%s", choice))
	}
	return choice
}
