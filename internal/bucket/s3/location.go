package s3

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/bucket"
)

// Location says where a bucket is.
type Location struct {
	Bucket   string
	Prefix   string // of all names: "", or it ends with a slash
	Endpoint string // host, or host:port
	Secure   bool   // reach it by https
	Region   string
}

const (
	example       = "s3://bucket/prefix?endpoint=https://s3.example&region=eu-central-1"
	amazon        = "s3.amazonaws.com"
	defaultRegion = "us-east-1" // of services that have no regions
	maxPrefix     = 200
)

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// Parse reads a location such as s3://bucket/prefix?endpoint=https://s3.example&region=R.
// Without an endpoint it is the service of Amazon, and the region is required. Errors name
// the part that is wrong, and contain no password.
func Parse(text string) (Location, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" {
		return Location{}, fmt.Errorf("must be a folder, or a location such as %s", example)
	}
	switch {
	case u.User != nil:
		return Location{}, errors.New("the location has a user or password, which others can read on a command line: remove it, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	case !bucketName.MatchString(u.Host):
		return Location{}, fmt.Errorf("bucket %q: must be 3 to 63 of a-z 0-9 . - and begin and end with a letter or digit", u.Host)
	case u.Fragment != "":
		return Location{}, errors.New("the location has a #: remove it and what follows")
	}
	at := Location{Bucket: u.Host, Endpoint: amazon, Secure: true}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		if len(prefix) > maxPrefix || bucket.CheckName(strings.ToLower(prefix)) != nil {
			return Location{}, fmt.Errorf("prefix %.40q: must be segments of A-Z a-z 0-9 . _ - that begin with a letter or digit, joined by slashes, at most %d bytes", prefix, maxPrefix)
		}
		at.Prefix = prefix + "/"
	}
	err = at.readQuery(u.RawQuery)
	return at, err
}

func (at *Location) readQuery(text string) error {
	query, err := url.ParseQuery(text)
	if err != nil {
		return fmt.Errorf("what follows the ? is not of the form name=value&name=value, as in %s", example)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name != "endpoint" && name != "region" {
			return fmt.Errorf("%q: not a parameter of a location; it has endpoint and region", name)
		}
		if len(query[name]) > 1 {
			return fmt.Errorf("%s: given %d times", name, len(query[name]))
		}
	}
	if endpoint := query.Get("endpoint"); endpoint != "" {
		if at.Endpoint, at.Secure, err = parseEndpoint(endpoint); err != nil {
			return err
		}
	}
	at.Region = query.Get("region")
	if strings.Trim(at.Region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(at.Region) > 60 {
		return fmt.Errorf("region %.60q: must be of a-z 0-9 -, such as eu-central-1", at.Region)
	}
	if at.Region == "" {
		if at.Endpoint == amazon {
			return errors.New("region: required unless there is an endpoint, for example &region=eu-central-1")
		}
		at.Region = defaultRegion
	}
	return nil
}

// parseEndpoint reads https://host, http://host:port or host:port, which is https.
func parseEndpoint(text string) (host string, secure bool, err error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, errors.New("endpoint: must be https://HOST or http://HOST:PORT, without a user, path or parameters")
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return "", false, fmt.Errorf("endpoint: port %.10q: must be a number from 1 to 65535", u.Port())
	}
	return u.Host, u.Scheme == "https", nil
}

// String returns the location in the form that Parse reads.
func (at Location) String() string {
	scheme := "http://"
	if at.Secure {
		scheme = "https://"
	}
	return "s3://" + strings.TrimSuffix(at.Bucket+"/"+at.Prefix, "/") + "?endpoint=" + scheme + at.Endpoint + "&region=" + at.Region
}
