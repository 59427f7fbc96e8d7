package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

// webhooksOn turns webhooks on for receivers of a test.
var webhooksOn = []string{"--webhooks", "on", "--webhook-hosts", "127.0.0.1"}

// TestWebhooksPage runs the commands and both receivers of doc/webhooks.md against the demo: they get
// a ping, a price that drops, and one that drops while the service is dead. A third receiver gets the
// messages for the npm package of Standard Webhooks. Without Python and curl it is skipped, unless
// GAMEDEX_CLIENTS=required.
func TestWebhooksPage(t *testing.T) {
	t.Parallel()
	needPrograms(t, "python3", "curl")
	blocks := map[string]string{}
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(read(t, "../../doc/webhooks.md"), -1) {
		blocks[block[1]] = block[2]
	}
	create, request, _ := strings.Cut(strings.TrimPrefix(blocks["sh"], "gamedex "), "\n")
	demo := sharedDemo.another(t, webhooksOn...)
	_, token := printedKey(t, must(t, demo.dir, "", append(strings.Fields(create), append(highLimits, "--json")...)...))

	// The service begins with the snapshots of another database, after which prices cannot be compared.
	setPrices(t, demo.dir, "ELDEN RING", 150_000)
	u := newUser(t, demo.api, token)
	const card = "HMNNWKJ1"
	u.eventually("/catalog/prices?regions=UA&ids="+card, func(a answer) bool { return fmt.Sprint(a.at("data.items.0.regions.UA.current")) == "150000" })

	messages := make(chan captured, 20)
	third := httptest.NewServer(captureMessages(messages))
	t.Cleanup(third.Close)
	var secrets []string
	subscribe := func(url string) (id, secret string) {
		t.Helper()
		sh := exec.Command("sh", "-ec", request)
		sh.Env = append(os.Environ(), "KEY="+token, "API="+demo.api+"/api/v1", "RECEIVER="+url)
		out, err := sh.Output()
		var made struct{ Data struct{ ID, Secret string } }
		if err != nil || json.Unmarshal(out, &made) != nil || made.Data.ID == "" {
			t.Fatalf("%v: %s", err, out)
		}
		secrets = append(secrets, made.Data.Secret)
		return made.Data.ID, made.Data.Secret
	}
	var ids []string
	var receivers []*sampleRun
	for _, command := range [][]string{pythonReceiver(t, blocks["python"]), goReceiver(t, blocks["go"])} {
		addr := porttest.Addr(t)
		id, secret := subscribe("http://" + addr + "/")
		r := newSampleRun(command, nil, "WEBHOOK_SECRET="+secret, "PORT="+addr[strings.LastIndexByte(addr, ':')+1:], pythonPath(t), noBytecode)
		r.begin(t)
		ids, receivers = append(ids, id), append(receivers, r)
	}
	id, secret := subscribe(third.URL)
	ids = append(ids, id)
	dealMessages := make(chan captured, 20)
	fourth := httptest.NewServer(captureMessages(dealMessages))
	t.Cleanup(fourth.Close)
	filter := regexp.MustCompile("`(\"deals\":[^`]+)`").FindStringSubmatch(read(t, "../../doc/webhooks.md"))[1]
	u.do(http.MethodPost, "/account/webhooks", `{"url":"`+fourth.URL+`",`+filter+`}`, header("Content-Type", "application/json")).want(201)
	both := func(what, python, golang string) {
		t.Helper()
		await.That(t, what, func() bool {
			return strings.HasSuffix(receivers[0].prints(), python+"\n") && strings.HasSuffix(receivers[1].prints(), golang+"\n")
		})
	}
	for _, id := range ids {
		u.do(http.MethodPost, "/account/webhooks/"+id+"/ping", "").want(202)
	}
	both("the pings", "ping []", "ping []")
	setPrices(t, demo.dir, "ELDEN RING", 120_000)
	both("the price", "ping []\nprices.changed ['"+card+"']", "ping []\nprices.changed [{"+card+"}]")

	await.That(t, "the deal", func() bool { return len(dealMessages) > 0 })
	deal := <-dealMessages
	if body := deal.Body; !strings.Contains(body, `"type":"prices.changed"`) || !strings.Contains(body, `"id":"`+card+`"`) {
		t.Errorf("the message of the deal is %s", body)
	}

	demo.kill()
	setPrices(t, demo.dir, "ELDEN RING", 100_000)
	log := demo.stderr.String()
	demo.start(t, webhooksOn...)
	u = newUser(t, demo.api, token)
	both("the price after the kill", "['"+card+"']\nprices.changed ['"+card+"']", "[{"+card+"}]\nprices.changed [{"+card+"}]")
	for _, id := range ids {
		u.eventually("/account/webhooks/"+id, func(a answer) bool { return a.at("data.pending") == nil })
		u.get("/account/webhooks/"+id+"/tries").want(200).is("data.tries.0.error", "null")
	}
	for _, secret := range secrets {
		if strings.Contains(log+demo.stderr.String()+demo.stdout.String(), secret) {
			t.Error("the log has a secret")
		}
	}
	for len(dealMessages) > 0 { // the kill can have repeated it
		if again := <-dealMessages; again.Headers["webhook-id"] != deal.Headers["webhook-id"] {
			t.Errorf("the deal was sent again: %s", again.Body)
		}
	}
	verifyByPackage(t, secret, messages)
}

// captured is a message as a receiver got it.
type captured struct {
	Headers map[string]string
	Body    string
}

// captureMessages returns a receiver that keeps messages.
func captureMessages(to chan<- captured) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m := captured{map[string]string{}, string(body)}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			m.Headers[name] = r.Header.Get(name)
		}
		to <- m
	})
}

func pythonReceiver(t *testing.T, program string) []string {
	t.Helper()
	if strings.Count(program, "\n") > 35 {
		t.Error("the receiver in Python is too long")
	}
	file := filepath.Join(t.TempDir(), "receiver.py")
	writeFile(t, file, program)
	return []string{"python3", file}
}

func goReceiver(t *testing.T, program string) []string {
	t.Helper()
	if strings.Count(program, "\n") > 40 {
		t.Error("the receiver in Go is too long")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), program)
	tool(t, ".", "go", "build", "-o", filepath.Join(dir, "receiver"), filepath.Join(dir, "main.go"))
	return []string{filepath.Join(dir, "receiver")}
}

// verifyByPackage verifies messages with the npm package of Standard Webhooks, if scripts/setup has fetched
// it.
func verifyByPackage(t *testing.T, secret string, messages <-chan captured) {
	t.Helper()
	var list []captured
	for len(messages) > 0 {
		list = append(list, <-messages)
	}
	if len(list) < 3 {
		t.Errorf("the third receiver got %d messages, want 3", len(list))
	}
	if os.Getenv("GAMEDEX_CLIENTS") != "required" {
		return
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	const script = `const { Webhook } = require("standardwebhooks");
const hook = new Webhook(process.env.SECRET), list = JSON.parse(require("fs").readFileSync(0));
for (const m of list) {
	hook.verify(m.Body, m.Headers);
	try { hook.verify(m.Body + " ", m.Headers); process.exit(3); } catch {}
}
console.log(list.length);`
	node := exec.CommandContext(t.Context(), "node", "-e", script)
	node.Env = append(os.Environ(), "SECRET="+secret, "NODE_PATH="+absolute(t, npm))
	node.Stdin = strings.NewReader(string(raw))
	if out, err := node.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(len(list)) {
		t.Errorf("the npm package of Standard Webhooks: %v: %s", err, out)
	}
}
