package dashboard

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"gamedex/internal/account"
)

// deviceCookie is the name of the cookie by which a browser is known to an
// account: somebody signed in to it here before. It gives no rights; it keeps
// those who guess from using up the tries of those who know.
const deviceCookie = "gamedex-device"

const deviceLifetime = 365 * 24 * time.Hour

// deviceID is the id of the stored session that stands for a browser: no
// token of a session has such a hash.
func deviceID(token string) string {
	hash := sha256.Sum256([]byte(token))
	return "device:" + base64.RawURLEncoding.EncodeToString(hash[:])
}

// known says whether the browser is known to an account. For nobody, with an
// empty id, it asks the store just so, and is false.
func (v *visit) known(userID string) (bool, error) {
	token := v.d.cookie(v.r, deviceCookie)
	if !account.CheckLinkToken(token) {
		return false, nil
	}
	s, found, err := v.d.cfg.Store.FindSession(v.r.Context(), deviceID(token), v.now())
	return found && userID != "" && s.UserID == userID, stored(err)
}

// rememberDevice makes the browser known to an account for a year from now. It
// gets a new token if it was not: an old one may have been planted by somebody
// who knows it too.
func (v *visit) rememberDevice(userID string) error {
	token := v.d.cookie(v.r, deviceCookie)
	known, err := v.known(userID)
	if err != nil {
		return err
	}
	if !known {
		if token, err = account.NewLinkToken(v.d.cfg.Rand); err != nil {
			return err
		}
	}
	until := v.d.cfg.Now().Add(deviceLifetime)
	s := account.Session{ID: deviceID(token), UserID: userID, Body: []byte{}, ExpiresAt: until.UnixMilli()}
	if err := v.d.cfg.Store.SaveSession(v.r.Context(), s); err != nil {
		return stored(err)
	}
	v.d.setCookie(v.w, deviceCookie, token, until)
	return nil
}
