package web

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseImageHosts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		words []string
		want  []string
		fails bool
	}{
		{"none", nil, nil, false},
		{"empty words", []string{"", " "}, nil, false},
		{"a host", []string{" img.example "}, []string{"https://img.example"}, false},
		{"an origin", []string{"http://Img.example:8080"}, []string{"http://img.example:8080"}, false},
		{"a path", []string{"https://img.example/x"}, nil, true},
		{"a slash", []string{"img.example/"}, nil, true},
		{"a wildcard", []string{"*.example"}, nil, true},
		{"everything", []string{"*"}, nil, true},
		{"another scheme", []string{"data://x"}, nil, true},
		{"a policy", []string{"img.example; script-src *"}, nil, true},
		{"a user", []string{"https://me@img.example"}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseImageHosts(tt.words)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fails {
				t.Errorf("error %v\n%s", err, diff)
			}
		})
	}
}

func TestImageSource(t *testing.T) {
	site := &Site{Config: Config{PublicURL: "https://games.example"}, images: []string{"https://img.example"}}
	for _, tt := range []struct{ address, want string }{
		{"https://games.example/demo/a.svg", "/demo/a.svg"},
		{"https://img.example/a.jpg?w=1", "https://img.example/a.jpg?w=1"},
		{"https://IMG.example/a.jpg", "https://IMG.example/a.jpg"},
		{"http://img.example/a.jpg", ""},
		{"https://img.example.evil/a.jpg", ""},
		{"https://img.example@evil.example/a.jpg", ""},
		{"https://me@img.example/a.jpg", ""},
		{"https://other.example/a.jpg", ""},
		{"https://games.example//evil.example/a.jpg", ""},
		{`https://games.example/\evil.example/a.jpg`, ""},
		{"https://games.example", ""},
		{"data:image/png;base64,AAAA", ""},
		{"javascript:alert(1)", ""},
		{"//img.example/a.jpg", ""},
		{"", ""},
		{"%", ""},
	} {
		if got := site.ImageSource(tt.address); got != tt.want {
			t.Errorf("ImageSource(%q) = %q, want %q", tt.address, got, tt.want)
		}
	}
}
