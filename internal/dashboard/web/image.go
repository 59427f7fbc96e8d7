package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// CheckImageHosts returns what is wrong with a list of hosts and origins.
func CheckImageHosts(words []string) error {
	_, err := parseImageHosts(words)
	return err
}

// parseImageHosts returns the origins in a list of hosts and origins. A host
// without a scheme means HTTPS.
func parseImageHosts(words []string) ([]string, error) {
	var hosts []string
	for _, word := range words {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		address := word
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || address != u.Scheme+"://"+u.Host ||
			strings.ContainsAny(u.Host, "*;,' ") {
			return nil, fmt.Errorf("image-hosts %q: must be a host such as img.example, or an origin such as https://img.example", word)
		}
		hosts = append(hosts, strings.ToLower(address))
	}
	return hosts, nil
}

// ImageSource returns the address from which a page loads a picture, or "" if the
// policy does not allow it. Pictures of this server get a path without a host.
func (s *Site) ImageSource(address string) string {
	if path, ok := strings.CutPrefix(address, s.PublicURL+"/"); ok {
		return LocalPath("/"+path, "") // "//host" would be another server's
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !slices.Contains(s.images, strings.ToLower(u.Scheme+"://"+u.Host)) {
		return ""
	}
	return address
}
