package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gamedex/internal/testing/await"
)

// assistant starts gamedex mcp, and returns a client of it.
func assistant(t *testing.T, dir, key string, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := command(t, dir, append([]string{"mcp"}, args...)...)
	cmd.Env = append(cmd.Env, "GAMEDEX_KEY="+key)
	var stderr await.Text
	cmd.Stderr = &stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil || len(stderr.String()) > 0 {
			t.Errorf("gamedex mcp ends with %v: %s", err, &stderr)
		}
	})
	return session
}

// maxAnswer is the most bytes of an answer that asks for no other size.
const maxAnswer = 8 << 10

// callTool calls a tool, and returns its text and whether it is an error.
func callTool(t *testing.T, session *mcp.ClientSession, tool string, arguments any) (text string, fails bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	whole, err := json.Marshal(result)
	if err != nil || len(whole) > maxAnswer && !strings.Contains(fmt.Sprint(arguments), "maxKB") {
		t.Errorf("%s %v: %d bytes, %v", tool, arguments, len(whole), err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// toolCalls are calls of the tools on the sample catalog, and texts that the answers have; those
// after "error" are errors.
var toolCalls = []struct {
	tool, arguments string
	wants           []string
}{
	{"find_games", `{"query":"Elden Ring","limit":2}`, []string{`"title":"ELDEN RING","type":"game","platform":"consolestore","devices":["PS4","PS5"],"year":"2022"`, `{"id":"elden-ring",`, `"total":8,"next":{"query":"Elden Ring","limit":8,"maxKB":8}`}},
	{"find_games", `{"query":"eldn rong"}`, []string{`"elden-ring"`, "No title has the words as written"}},
	{"get_prices", `{"games":["elden-ring","Celeste"],"regions":["Ukraine","TUR","nz"]}`, []string{`"asked":"Celeste"`, `"cheapestCountry":"Türkiye (TR)","compared":"2 of 2 countries"`, `"text":"379,00 ₴","amount":379,"currency":"UAH","usd":9.01`, `"notSoldIn":["NZ"]`, `"readAt":"20`}},
	{"get_prices", `{"games":["Assassin's Creed Mirage - Deluxe Edition"]}`, []string{`"ambiguous":[{"asked":"Assassin's Creed Mirage - Deluxe Edition","candidates":[{"id":"P7HS0JYM","title":"`, `"year":"2023"`}},
	{"get_prices", `{"games":["ELDEN-RING"],"maxKB":64}`, []string{`"compared":"8 of 8 countries"`, `"country":"Japan"`}},
	{"get_prices", `{"games":["elden-ring"],"regions":["UA"]}`, []string{`{"games":[{"asked":"elden-ring","id":"elden-ring",`, `"alpha2":"UA"`, `}]}],"readAt"`}},
	{"price_history", `{"game":"elden-ring","region":"UKR"}`, []string{`"lowest":{"since":"`, `"country":"Ukraine","alpha2":"UA"`, ` ₴","amount":`, `"watchedSince":"`}},
	{"price_history", `{"game":"Elden Ring","region":"UA"}`, []string{`{"candidates":[{"id":"`, `{"id":"elden-ring"`}},
	{"find_deals", `{"regions":["UA","TR"],"platform":"pcstore","minDiscount":50,"maxUsd":20,"low":"allTime","types":["game"],"devices":["Windows"],"real":true,"limit":2}`, []string{`"discountPercent":9`, `"verdict":"real","low":"allTime"`, `"discountEnds":"`, `"limit":`}},
	{"find_deals", `{"regions":["New Zealand"]}`, []string{`{"deals":[],"total":0,"note":"No deal passes`}},

	{"get_prices", `{"games":["no such game at all"]}`, []string{"error", `no such game: ["no such game at all"]. find_games finds games`}},
	{"get_prices", `{"games":[]}`, []string{"error", "games has 0 entries, and must have 1 to 10"}},
	{"get_prices", `{"games":["a","b","c","d","e","f","g","h","i","j","k"]}`, []string{"error", "games has 11 entries, and must have 1 to 10: send the others in another call"}},
	{"get_prices", `{"games":[" "]}`, []string{"error", `"" is not accepted (minLength:1)`}},
	{"get_prices", `{"games":["Celeste"],"regions":["Germny"]}`, []string{"error", `region "Germny" is not a country; near ones: Germany (DE). Send`}},
	{"get_prices", `{"games":["Celeste"],"regions":["XX"]}`, []string{"error", `region "XX" is not a country; the service has prices in Germany (DE), India (IN)`}},
	{"get_prices", `{"games":["Celeste"],"maxKB":1}`, []string{"error", "maxKB is 1, and must be 8 to 64"}},
	{"get_prices", `{"games":"Celeste"}`, []string{"error", "games", "string", "array"}},
	{"get_prices", `{"titles":["Celeste"]}`, []string{"error", "titles"}},
	{"price_history", `{"game":"elden-ring","region":"all"}`, []string{"error", "region must be one country"}},
	{"price_history", `{"game":"elden-ring","region":"NZ"}`, []string{"error", "is not sold in New Zealand (NZ); get_prices without regions"}},
	{"price_history", `{"game":"elden-ring","region":"UA","since":"last year"}`, []string{"error", "since", "send an RFC 3339 time"}},
	{"find_games", `{"query":"x"}`, []string{"error", "parameter q", "at least 2 characters"}},
	{"find_games", `{"query":"elden","limit":1000}`, []string{"error", "limit", "100"}},
	{"find_deals", `{"sort":"cheapest"}`, []string{"error", "sort", "enum:discount,price,usd"}},
	{"find_deals", `{"platform":"steam"}`, []string{"error", "platform", "consolestore,pcstore"}},
	{"find_deals", `{"endsWithin":"soon"}`, []string{"error", "endsWithin", "duration"}},
}

// TestAssistants calls the tools with the clients of the Go SDK and of the TypeScript SDK.
func TestAssistants(t *testing.T) {
	t.Parallel()
	s := sharedDemo.open(t)
	session := assistant(t, s.dir, s.token)
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		if a := tool.Annotations; !a.ReadOnlyHint || !a.IdempotentHint || *a.OpenWorldHint || *a.DestructiveHint || tool.OutputSchema == nil {
			t.Errorf("%s is marked %+v", tool.Name, a)
		}
	}
	type answer struct {
		Text  string
		Fails bool
	}
	var answers []answer
	for _, c := range toolCalls {
		text, fails := callTool(t, session, c.tool, json.RawMessage(c.arguments))
		answers = append(answers, answer{text, fails})
		plain := strings.ReplaceAll(text, "\u00a0", " ")
		for i, want := range c.wants {
			if i == 0 && fails != (want == "error") || want != "error" && !strings.Contains(plain, want) {
				t.Errorf("%s %s: want %s in\n%s", c.tool, c.arguments, want, text)
			}
		}
	}

	t.Run("TypeScript", func(t *testing.T) {
		needClients(t)
		dir := t.TempDir()
		itself := command(t, s.dir).Path
		lifeline := filepath.Join(dir, "lifeline")
		tool(t, dir, "mkfifo", lifeline)
		writeFile(t, filepath.Join(dir, "gamedex"), "#!/bin/sh\n"+asProgram+"=1 exec "+itself+" \"$@\" 3<>"+lifeline+"\n")
		tool(t, dir, "ln", "-s", absolute(t, npm), "node_modules")
		writeFile(t, filepath.Join(dir, "mcp.mjs"), read(t, programs+"/mcp.mjs"))
		var sent []map[string]any
		for _, c := range toolCalls {
			sent = append(sent, map[string]any{"name": c.tool, "arguments": json.RawMessage(c.arguments)})
		}
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "calls.json"), string(text))
		var got struct {
			Tools   []string
			Answers []answer
		}
		printed := tool(t, dir, "node", "mcp.mjs", "calls.json", s.token, "/bin/sh", filepath.Join(dir, "gamedex"), "--data-dir", s.dir, "mcp")
		if err := json.Unmarshal([]byte(printed), &got); err != nil {
			t.Fatalf("%v: %s", err, printed)
		}
		same(t, "tools", got.Tools, "find_deals", "find_games", "get_prices", "price_history")
		if !reflect.DeepEqual(got.Answers, answers) {
			t.Errorf("the TypeScript client gets\n%v\nand that of Go\n%v", got.Answers, answers)
		}
	})
}

// TestAnswersOfAllGames sets the program up as doc/assistants.md says, and asks for everything in the sample
// catalog, in the small world for a third of it: each answer is small, and has the amounts of the API.
func TestAnswersOfAllGames(t *testing.T) {
	t.Parallel()
	s := sharedDemo.open(t)
	u := s.user(t)
	var page struct {
		MCPServers struct {
			Gamedex struct {
				Args []string
				Env  map[string]string
			}
		}
	}
	text := regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindStringSubmatch(read(t, "../../doc/assistants.md"))[1]
	if err := json.Unmarshal([]byte(strings.NewReplacer("gdx_…", s.token, "http://127.0.0.1:8080", s.api).Replace(text)), &page); err != nil {
		t.Fatal(err)
	}
	set := page.MCPServers.Gamedex
	session := assistant(t, t.TempDir(), set.Env["GAMEDEX_KEY"], set.Args[1:]...)
	cards := u.get("/catalog/browse?limit=1000&sort=popularity").want(200)
	ids, titles := cards.texts("data.items", "id"), cards.texts("data.items", "title")
	step := 30
	if fullWorld() {
		step = 10
	}
	for i := 0; i < len(ids); i += step {
		group := ids[i:min(i+10, len(ids))]
		callTool(t, session, "get_prices", map[string]any{"games": group})
		callTool(t, session, "get_prices", map[string]any{"games": titles[i:min(i+10, len(ids))]})
		callTool(t, session, "find_games", map[string]any{"query": titles[i], "limit": 100})
		callTool(t, session, "price_history", map[string]any{"game": ids[i], "region": []string{"UA", "TR", "IN", "JP"}[i/10%4]})
		text, _ := callTool(t, session, "get_prices", map[string]any{"games": group, "maxKB": 64})
		checkAmounts(t, u, group, text)
	}
	var all struct {
		Deals []struct{ ID string }
		Total int
		Next  map[string]any
	}
	next := map[string]any{"regions": []string{"UA"}, "platform": "pcstore", "minDiscount": 60}
	for calls := 0; next != nil && calls < 3; calls++ {
		text, _ := callTool(t, session, "find_deals", next)
		all.Next = nil
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			t.Fatal(err)
		}
		next = all.Next
	}
	if next != nil || all.Total < 20 || len(all.Deals) != all.Total {
		t.Errorf("next leads to %d of %d deals, and then to %v", len(all.Deals), all.Total, next)
	}
	for _, sort := range []string{"discount", "usd", "saving", "ends", "started", "popularity", "title"} {
		callTool(t, session, "find_deals", map[string]any{"regions": []string{"all"}, "sort": sort, "limit": 200})
	}
}

// checkAmounts compares prices of an answer with the hundredths of the API.
func checkAmounts(t *testing.T, u *apiUser, ids []string, text string) {
	t.Helper()
	var got struct {
		Games []struct {
			ID, CheapestCountry string
			Prices              []struct {
				Alpha2, Text, Currency, Kind string
				Amount, USD                  *float64
			}
			PricesNotShown int
		}
	}
	var api struct {
		Data struct {
			Items []struct {
				ID      string
				Regions map[string]struct {
					Alpha2, CurrentText, Currency string
					Current                       *float64
					USD                           *float64
					IsFree, IsTrial, IsSubPlus    bool
				}
				Cheapest *struct{ Region string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := json.Unmarshal(u.get("/catalog/prices?regions=all&ids="+strings.Join(ids, ",")).want(200).body, &api); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	amount := func(n *float64, by float64) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprintf("%.2f", *n/by)
	}
	for _, item := range api.Data.Items {
		for key, r := range item.Regions {
			free := r.Current != nil && *r.Current == 0 && !r.IsTrial && !r.IsSubPlus
			rows[item.ID+r.Alpha2] = fmt.Sprint(strings.Join(strings.Fields(r.CurrentText), " "), r.Currency, amount(r.Current, 100), amount(r.USD, 1), free)
			if item.Cheapest != nil && item.Cheapest.Region == key {
				same := 0
				for _, other := range item.Regions {
					if other.USD != nil && *other.USD == *r.USD && !other.IsTrial && !other.IsSubPlus {
						same++
					}
				}
				if rows[item.ID] = "(" + r.Alpha2 + ")"; same > 1 {
					rows[item.ID] += fmt.Sprintf(" and %d more at this price", same-1)
				}
			}
		}
	}
	for _, g := range got.Games {
		if !slices.Contains(ids, g.ID) {
			continue // the game of an id that is also a title, in the other store
		}
		if g.PricesNotShown > 0 || !strings.Contains(g.CheapestCountry, rows[g.ID]) {
			t.Errorf("%s is cheapest in %s, want %s; %d prices are missing", g.ID, g.CheapestCountry, rows[g.ID], g.PricesNotShown)
		}
		for _, p := range g.Prices {
			if row := fmt.Sprint(p.Text, p.Currency, amount(p.Amount, 1), amount(p.USD, 1), p.Kind == "free"); row != rows[g.ID+p.Alpha2] {
				t.Errorf("%s in %s costs %s, want %s", g.ID, p.Alpha2, row, rows[g.ID+p.Alpha2])
			}
		}
	}
}

// TestAssistantFindsTheService follows the service over restarts on other ports, and says what
// to do while there is none or the key is wrong.
func TestAssistantFindsTheService(t *testing.T) {
	t.Parallel()
	demo := sharedDemo.another(t)
	session := assistant(t, demo.dir, demo.token)
	games := map[string]any{"query": "celeste"}
	if text, fails := callTool(t, session, "find_games", games); fails {
		t.Fatal(text)
	}
	demo.server.stop()
	if text, fails := callTool(t, session, "find_games", games); !fails || !strings.Contains(text, "must start it with gamedex serve") {
		t.Errorf("without a service it says %s", text)
	}
	s := start(t, demo.dir)
	s.healthy()
	if text, fails := callTool(t, session, "find_games", games); fails {
		t.Errorf("after a restart it says %s", text)
	}
	wrong := assistant(t, t.TempDir(), demo.token[:len(demo.token)-1]+"!", "--api", s.api)
	if text, fails := callTool(t, wrong, "find_games", games); !fails || !strings.Contains(text, "put a key into GAMEDEX_KEY") {
		t.Errorf("with a wrong key it says %s", text)
	}
	if r := run(t, t.TempDir(), "", "mcp", "--api", "me:pw@x"); r.status != 1 || !strings.Contains(r.stderr, "--api me:pw@x: must be a URL") {
		t.Errorf("a wrong address: %+v", r)
	}

	// Requests from a pipe get all answers.
	piped := command(t, demo.dir, "mcp")
	piped.Env = append(piped.Env, "GAMEDEX_KEY="+demo.token)
	piped.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_games","arguments":{"query":"celeste"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_deals","arguments":{}}}
`)
	if out, err := piped.Output(); err != nil || strings.Count(string(out), "\n") != 3 || strings.Count(string(out), `"structuredContent":`) != 2 {
		t.Errorf("from a pipe: %v\n%s", err, out)
	}

	_, key := newKey(t, demo.dir, "--limit-minute", "1")
	limited := assistant(t, demo.dir, key, "--api", s.api)
	callTool(t, limited, "find_games", games)
	if text, fails := callTool(t, limited, "find_games", games); !fails || !strings.Contains(text, "try again in ") {
		t.Errorf("at the limit it says %s", text)
	}
}
