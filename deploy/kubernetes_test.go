package deploy_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// kinds are the types of what the manifests may have.
var kinds = map[string]func() meta.Object{
	"v1/ServiceAccount":                      func() meta.Object { return &core.ServiceAccount{} },
	"v1/ConfigMap":                           func() meta.Object { return &core.ConfigMap{} },
	"v1/Service":                             func() meta.Object { return &core.Service{} },
	"apps/v1/Deployment":                     func() meta.Object { return &apps.Deployment{} },
	"autoscaling/v2/HorizontalPodAutoscaler": func() meta.Object { return &autoscaling.HorizontalPodAutoscaler{} },
	"policy/v1/PodDisruptionBudget":          func() meta.Object { return &policy.PodDisruptionBudget{} },
	"networking.k8s.io/v1/NetworkPolicy":     func() meta.Object { return &networking.NetworkPolicy{} },
	"networking.k8s.io/v1/Ingress":           func() meta.Object { return &networking.Ingress{} },
	"batch/v1/Job":                           func() meta.Object { return &batch.Job{} },
}

// build returns what `kubectl apply -k` would send, decoded strictly: a field that the
// type lacks is an error.
func build(t *testing.T, dir string) (objects []meta.Object) {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resources.Resources() {
		gvk := r.GetGvk()
		kind := strings.TrimPrefix(gvk.Group+"/"+gvk.Version+"/"+gvk.Kind, "/")
		make, known := kinds[kind]
		if !known {
			t.Errorf("%s: a plain cluster may have no %s", r.GetName(), kind)
			continue
		}
		object := make()
		if err := yaml.UnmarshalStrict([]byte(r.MustYaml()), object); err != nil {
			t.Errorf("%s %s: %v", kind, r.GetName(), err)
		}
		objects = append(objects, object)
	}
	return objects
}

// of returns the objects of one type by name.
func of[T meta.Object](objects []meta.Object) map[string]T {
	found := map[string]T{}
	for _, o := range objects {
		if object, ok := o.(T); ok {
			found[o.GetName()] = object
		}
	}
	return found
}

// pods returns the templates of all pods by the name of what makes them.
func pods(objects []meta.Object) map[string]core.PodTemplateSpec {
	templates := map[string]core.PodTemplateSpec{}
	for name, d := range of[*apps.Deployment](objects) {
		templates[name] = d.Spec.Template
	}
	for name, j := range of[*batch.Job](objects) {
		templates[name] = j.Spec.Template
	}
	return templates
}

var folders = []string{"kubernetes/base", "kubernetes/overlays/example"}

func TestPods(t *testing.T) {
	known := readCommandLine(t)
	secret := readVariables(t, "kubernetes/overlays/example/secrets.env.example")
	for _, folder := range folders {
		objects := build(t, folder)
		configs := of[*core.ConfigMap](objects)
		for name, pod := range pods(objects) {
			where := folder + ": " + name
			if len(pod.Spec.Containers) != 1 {
				t.Fatalf("%s: has %d containers", where, len(pod.Spec.Containers))
			}
			c := pod.Spec.Containers[0]
			environment := maps.Clone(secret)
			for _, from := range c.EnvFrom {
				if from.ConfigMapRef == nil {
					continue
				}
				config, ok := configs[from.ConfigMapRef.Name]
				if !ok {
					t.Errorf("%s: there is no ConfigMap %s", where, from.ConfigMapRef.Name)
					continue
				}
				maps.Copy(environment, config.Data)
			}
			for _, v := range c.Env {
				environment[v.Name] = v.Value
			}
			known.check(t, where, c.Args, environment)
			checkClosed(t, where, pod.Spec, c)
			checkMemory(t, where, c, environment)
			checkEnd(t, where, pod.Spec, environment)
			if c.Args[0] == "serve" {
				checkProbes(t, where, c)
			}
		}
	}
}

// checkClosed checks that a pod has no rights that it does not need.
func checkClosed(t *testing.T, where string, pod core.PodSpec, c core.Container) {
	t.Helper()
	var users core.PodSecurityContext
	if pod.SecurityContext != nil {
		users = *pod.SecurityContext
	}
	var own core.SecurityContext
	if c.SecurityContext != nil {
		own = *c.SecurityContext
	}
	is := func(b *bool, want bool) bool { return b != nil && *b == want }
	for what, ok := range map[string]bool{
		"runs as root":                       is(users.RunAsNonRoot, true) && users.RunAsUser != nil && *users.RunAsUser != 0,
		"has no seccomp profile":             users.SeccompProfile != nil && users.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
		"may write to its image":             is(own.ReadOnlyRootFilesystem, true),
		"may gain privileges":                is(own.AllowPrivilegeEscalation, false),
		"has capabilities":                   own.Capabilities != nil && slices.Equal(own.Capabilities.Drop, []core.Capability{"ALL"}) && len(own.Capabilities.Add) == 0,
		"has a token of the cluster":         is(pod.AutomountServiceAccountToken, false),
		"uses the node's network or volumes": !pod.HostNetwork && !pod.HostPID && !slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.HostPath != nil }),
	} {
		if !ok {
			t.Errorf("%s: %s", where, what)
		}
	}
}

// checkMemory checks that the Go runtime knows the limit of memory.
func checkMemory(t *testing.T, where string, c core.Container, environment map[string]string) {
	t.Helper()
	limit := c.Resources.Limits.Memory()
	soft, err := resource.ParseQuantity(strings.TrimSuffix(environment["GOMEMLIMIT"], "B"))
	if err != nil || soft.Value() > limit.Value()*9/10 || soft.Value() < limit.Value()*8/10 {
		t.Errorf("%s: GOMEMLIMIT is %q; it must be about a tenth below the limit, %s", where, environment["GOMEMLIMIT"], limit)
	}
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().Cmp(*limit) != 0 {
		t.Errorf("%s: requests %v; the autoscaler needs a processor, and memory must be what the limit is", where, c.Resources.Requests)
	}
}

// checkEnd checks that a pod is not killed before its drain is over.
func checkEnd(t *testing.T, where string, pod core.PodSpec, environment map[string]string) {
	t.Helper()
	const stopTime = 15 * time.Second // doc/operations/start.md, "Stop"
	drain, err := time.ParseDuration(environment["GAMEDEX_DRAIN"])
	if err != nil {
		t.Errorf("%s: GAMEDEX_DRAIN: %v", where, err)
	}
	var killed time.Duration
	if pod.TerminationGracePeriodSeconds != nil {
		killed = time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	}
	if killed <= drain+stopTime {
		t.Errorf("%s: is killed %v after SIGTERM; it needs more than %v", where, killed, drain+stopTime)
	}
}

// checkProbes checks the probes, which ask the operations listener.
func checkProbes(t *testing.T, where string, c core.Container) {
	t.Helper()
	for path, probe := range map[string]*core.Probe{"/livez": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port != intstr.FromString("ops") {
			t.Errorf("%s: nothing asks for %s", where, path)
		}
	}
	if !slices.ContainsFunc(c.Ports, func(p core.ContainerPort) bool { return p.Name == "ops" && p.ContainerPort == 8081 }) {
		t.Errorf("%s: has no port with the name ops", where)
	}
}

// TestSelectors checks that everything that selects pods selects those that it is for.
func TestSelectors(t *testing.T) {
	for _, folder := range folders {
		objects := build(t, folder)
		templates := pods(objects)
		selected := func(s *meta.LabelSelector) (names []string) {
			selector, err := meta.LabelSelectorAsSelector(s)
			if err != nil {
				t.Fatal(err)
			}
			for name, pod := range templates {
				if selector.Matches(labels.Set(pod.Labels)) {
					names = append(names, name)
				}
			}
			return names
		}
		want := func(what string, got []string, wanted ...string) {
			t.Helper()
			slices.Sort(got)
			if !slices.Equal(got, wanted) {
				t.Errorf("%s: %s selects %q, want %q", folder, what, got, wanted)
			}
		}
		budgets := map[string]bool{}
		for name, b := range of[*policy.PodDisruptionBudget](objects) {
			want("budget "+name, selected(b.Spec.Selector), name)
			budgets[name] = true
		}
		for name, d := range of[*apps.Deployment](objects) {
			want("deployment "+name, selected(d.Spec.Selector), name)
			spread := d.Spec.Template.Spec.TopologySpreadConstraints
			for _, c := range spread {
				want("spread of "+name, selected(c.LabelSelector), name)
			}
			if several := d.Spec.Replicas == nil || *d.Spec.Replicas > 1; several && (!budgets[name] || len(spread) == 0) {
				t.Errorf("%s: %s has several pods, which may all be taken away at once or be on one machine", folder, name)
			}
		}
		for name, s := range of[*core.Service](objects) {
			want("service "+name, selected(&meta.LabelSelector{MatchLabels: s.Spec.Selector}), "gamedex-api")
		}
		for name, h := range of[*autoscaling.HorizontalPodAutoscaler](objects) {
			if _, ok := templates[h.Spec.ScaleTargetRef.Name]; !ok || h.Spec.MinReplicas == nil || *h.Spec.MinReplicas < 2 {
				t.Errorf("%s: autoscaler %s scales nothing, or to one pod", folder, name)
			}
		}
		policies := of[*networking.NetworkPolicy](objects)
		if len(policies) != 2 {
			t.Fatalf("%s: has %d network policies", folder, len(policies))
		}
		want("policy gamedex", selected(&policies["gamedex"].Spec.PodSelector), slices.Sorted(maps.Keys(templates))...)
		want("policy gamedex-api", selected(&policies["gamedex-api"].Spec.PodSelector), "gamedex-api")
		for name, i := range of[*networking.Ingress](objects) {
			for _, rule := range i.Spec.Rules {
				for _, path := range rule.HTTP.Paths {
					service := path.Backend.Service
					s, ok := of[*core.Service](objects)[service.Name]
					if !ok || !slices.ContainsFunc(s.Spec.Ports, func(p core.ServicePort) bool { return p.Name == service.Port.Name }) {
						t.Errorf("%s: ingress %s leads to %s, which is not there", folder, name, service.Name)
					}
				}
			}
		}
	}
}
