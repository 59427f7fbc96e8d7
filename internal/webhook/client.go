package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gamedex/internal/upstream/netguard"
)

const (
	postTimeout = 10 * time.Second // for the whole exchange
	maxAnswer   = 64 << 10         // bytes of an answer that are read
	maxReason   = 300              // bytes of an error
)

// Client sends messages to receivers.
type Client struct {
	http  *http.Client
	agent string
}

// NewClient returns a client that connects to public addresses, and to any address of the
// allowed hosts. agent is the value of User-Agent.
func NewClient(allowed Hosts, agent string) *Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		// The resolved address is checked, because a name can get another one after a check. No proxy
		// is used: it would resolve names itself.
		dialer := net.Dialer{Control: netguard.RefusePrivate}
		if host, _, err := net.SplitHostPort(addr); err == nil && slices.Contains(allowed, strings.ToLower(host)) {
			dialer.Control = nil
		}
		return dialer.DialContext(ctx, network, addr)
	}
	return &Client{agent: agent, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dial, ForceAttemptHTTP2: true, DisableCompression: true,
			MaxIdleConns: 100, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// answer is the result of a try.
type answer struct {
	status     int           // 0: there was no answer
	err        error         // why; never with the URL, which may have a secret
	retryAfter time.Duration // that the receiver demands; 0: none
}

func (a *answer) delivered() bool { return a.status >= 200 && a.status < 300 }

// String returns the result in words, for the owner of the subscription.
func (a *answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return "answered " + strconv.Itoa(a.status)
}

// post sends the message of a subscription at now. It calls may immediately before it writes the body: an
// error ends the try.
func (c *Client) post(ctx context.Context, s *Subscription, now time.Time, may func() error) answer {
	signer, err := standardwebhooks.NewWebhook(s.Secret)
	if err != nil {
		return answer{err: errors.New("the stored secret is damaged: delete this webhook and create another")}
	}
	signature, err := signer.Sign(s.Message.ID, now, s.Message.Body)
	if err != nil {
		return answer{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, postTimeout)
	defer cancel()
	body := func() (io.ReadCloser, error) {
		return io.NopCloser(&guardedReader{bytes.NewReader(s.Message.Body), may}), nil
	}
	first, _ := body()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, first)
	if err != nil {
		return answer{err: errors.New("the stored URL is damaged: send PATCH with another one")}
	}
	req.GetBody, req.ContentLength = body, int64(len(s.Message.Body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": c.agent, standardwebhooks.HeaderWebhookID: s.Message.ID,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(now.Unix(), 10), standardwebhooks.HeaderWebhookSignature: signature,
	} {
		req.Header.Set(name, value)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if outer, ok := errors.AsType[*url.Error](err); ok {
			err = outer.Err
		}
		return answer{err: reason(err)}
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer) // so that the connection can be used again; the status is enough
	return answer{status: resp.StatusCode, retryAfter: retryAfter(resp.Header.Get("Retry-After"), now)}
}

// reason returns why there was no answer, for the owner of the subscription: in short, and without addresses of this
// machine and its networks.
func reason(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", postTimeout)
	}
	if _, ok := errors.AsType[*netguard.PrivateError](err); ok {
		return errors.New("the host has no public address")
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the name of the host cannot be resolved")
	}
	for op, ok := errors.AsType[*net.OpError](err); ok; op, ok = errors.AsType[*net.OpError](err) {
		err = op.Err
	}
	text := strings.Map(func(r rune) rune { // it may have what the receiver answered, which a database refuses
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, err.Error())
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	if text != err.Error() {
		return errors.New(text)
	}
	return err
}

// guardedReader calls may before each read.
type guardedReader struct {
	io.Reader
	may func() error
}

func (r *guardedReader) Read(b []byte) (int, error) {
	if err := r.may(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// retryAfter reads the header Retry-After: seconds, or a date. It is 0 if it is neither.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
