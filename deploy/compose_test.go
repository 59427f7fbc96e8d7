package deploy_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// loadCompose loads compose.yaml as docker compose does, with all profiles.
func loadCompose(environment map[string]string) (*types.Project, error) {
	content, err := os.ReadFile("compose.yaml")
	if err != nil {
		return nil, err
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: here, Environment: environment,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(here, "compose.yaml"), Content: content}},
	}, func(o *loader.Options) { o.SetProjectName("gamedex", true) }, loader.WithProfiles([]string{"*"}))
}

// secrets returns the variables that env.example leaves empty, each with a value that
// can be found again.
func secrets(t *testing.T) map[string]string {
	t.Helper()
	variables := map[string]string{}
	for name, value := range readVariables(t, "env.example") {
		if value != "" {
			t.Errorf("env.example has a value of %s, which people would keep", name)
		}
		variables[name] = "secret-" + name
	}
	return variables
}

func TestCompose(t *testing.T) {
	variables := secrets(t)
	project, err := loadCompose(variables)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	known := readCommandLine(t)
	for name, service := range project.Services {
		names = append(names, name)
		environment := map[string]string{}
		for variable, value := range service.Environment {
			if value == nil {
				t.Errorf("%s: %s has no value", name, variable)
				continue
			}
			environment[variable] = *value
		}
		if service.Image == "gamedex" {
			known.check(t, name, service.Command, environment)
			if !service.ReadOnly || !slices.Contains(service.CapDrop, "ALL") || service.StopGracePeriod == nil {
				t.Errorf("%s: is not closed as the others are, or docker ends it before its drain", name)
			}
		} else if !strings.Contains(service.Image, ":") || strings.HasSuffix(service.Image, ":latest") {
			t.Errorf("%s: the image %s has no version", name, service.Image)
		}
		line := strings.Join(slices.Concat(service.Command, service.Entrypoint), " ")
		if service.HealthCheck != nil {
			line += strings.Join(service.HealthCheck.Test, " ")
		}
		if strings.Contains(line, "secret-") {
			t.Errorf("%s: a secret is on the command line, where others can read it: %s", name, line)
		}
		for _, v := range service.Volumes {
			if v.Type == types.VolumeTypeBind {
				if _, err := os.Stat(v.Source); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		for _, p := range service.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %d is open to other machines", name, p.Target)
			}
		}
	}
	slices.Sort(names)
	want := []string{"api", "builder", "collector", "command", "grafana", "haproxy", "migrate", "postgres", "prometheus", "valkey", "versitygw"}
	if !slices.Equal(names, want) {
		t.Errorf("the services are %q, want %q", names, want)
	}
}

// TestComposeNeedsEverySecret checks that nothing starts with an empty password.
func TestComposeNeedsEverySecret(t *testing.T) {
	all := secrets(t)
	for name := range all {
		without := maps.Clone(all)
		without[name] = ""
		if _, err := loadCompose(without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if len(all) < 4 {
		t.Errorf("env.example asks for %d secrets only", len(all))
	}
}
