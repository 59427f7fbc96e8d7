package s3_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/bucket/s3"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]s3.Location{
		"s3://games?region=eu-central-1":                                {"games", "", "s3.amazonaws.com", true, "eu-central-1"},
		"s3://games/Prod/v1/?endpoint=https://s3.example":               {"games", "Prod/v1/", "s3.example", true, "us-east-1"},
		"s3://games/a?endpoint=127.0.0.1:9000&region=x":                 {"games", "a/", "127.0.0.1:9000", true, "x"},
		"s3://games/a?endpoint=http://127.0.0.1:9000/":                  {"games", "a/", "127.0.0.1:9000", false, "us-east-1"},
		"s3://games.example.org?region=x&endpoint=http%3A%2F%2F[::1]:9": {"games.example.org", "", "[::1]:9", false, "x"},
	} {
		got, err := s3.Parse(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
		if again, err := s3.Parse(got.String()); err != nil || again != got {
			t.Errorf("%s is written as %s, which is %+v, %v", text, got, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const secret = "hunter2"
	for text, want := range map[string]string{
		"":                                       "must be a folder, or a location such as s3://",
		"folder":                                 "must be a folder, or a location",
		"https://s3.example/games":               "must be a folder, or a location",
		"s3://key:" + secret + "%zz@games":       "must be a folder, or a location",
		"s3://key:" + secret + "@games?region=x": "AWS_SECRET_ACCESS_KEY",
		"s3://key@games?region=x":                "AWS_ACCESS_KEY_ID",
		"s3://?region=x":                         `bucket ""`,
		"s3://Games?region=x":                    `bucket "Games"`,
		"s3://games:80?region=x":                 `bucket "games:80"`,
		"s3://games/../x?region=x":               "prefix",
		"s3://games/a//b?region=x":               "prefix",
		"s3://games/" + strings.Repeat("a", 201) + "?region=x": "at most 200",
		"s3://games":                           "region: required",
		"s3://games#x":                         "#",
		"s3://games?region=x&secret=" + secret: `"secret": not a parameter`,
		"s3://games?region=x&region=y":         "region: given 2 times",
		"s3://games?region=x;y":                "name=value",
		"s3://games?region=EU":                 `region "EU"`,
		"s3://games?endpoint=https://key:" + secret + "@s3.example": "endpoint: must be",
		"s3://games?endpoint=https://s3.example:65536":              `endpoint: port "65536": must be a number`,
		"s3://games?endpoint=s3.example:0":                          `endpoint: port "0": must be a number`,
		"s3://games?endpoint=ftp://s3.example":                      "endpoint: must be",
		"s3://games?endpoint=https://s3.example/games":              "endpoint: must be",
		"s3://games?endpoint=https://":                              "endpoint: must be",
	} {
		_, err := s3.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in the error", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error has the password: %v", text, err)
		}
	}
}
