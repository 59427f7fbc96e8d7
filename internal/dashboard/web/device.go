package web

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"gamedex/internal/account"
)

// deviceCookie is the name of the cookie of a known device: a browser in which
// somebody signed in to an account before. It grants no rights. It keeps people
// who guess passwords from using up the attempts of the account's owner.
const deviceCookie = "gamedex-device"

const deviceLifetime = 365 * 24 * time.Hour

// deviceID returns the id under which a known device is stored among the
// sessions. No token of a session has such a hash.
func deviceID(token string) string {
	hash := sha256.Sum256([]byte(token))
	return "device:" + base64.RawURLEncoding.EncodeToString(hash[:])
}

// KnownDevice reports whether somebody signed in to an account with this
// browser before. For an empty id it queries the store, too, and returns false.
func (v *Visit) KnownDevice(userID string) (bool, error) {
	token := v.site.cookie(v.R, deviceCookie)
	if !account.CheckLinkToken(token) {
		return false, nil
	}
	s, found, err := v.site.Store.FindSession(v.Context(), deviceID(token), v.Now())
	return found && userID != "" && s.UserID == userID, StoreError(err)
}

// RememberDevice makes the browser a known device of an account for a year. A
// browser that was not one gets a new token: somebody else may have planted the
// old one.
func (v *Visit) RememberDevice(userID string) error {
	token := v.site.cookie(v.R, deviceCookie)
	known, err := v.KnownDevice(userID)
	if err != nil {
		return err
	}
	if !known {
		if token, err = account.NewLinkToken(v.site.Rand); err != nil {
			return err
		}
	}
	until := v.site.Now().Add(deviceLifetime)
	s := account.Session{ID: deviceID(token), UserID: userID, Body: []byte{}, ExpiresAt: until.UnixMilli()}
	if err := v.site.Store.SaveSession(v.Context(), s); err != nil {
		return StoreError(err)
	}
	v.site.setCookie(v.W, deviceCookie, token, until)
	return nil
}
