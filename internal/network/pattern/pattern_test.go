package pattern_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/pattern"
)

func order() *flow.Flow {
	return &flow.Flow{
		Client: flow.Client{Address: "127.0.0.1:50123"},
		Request: flow.Request{Method: "POST", URL: "https://api.example.com/v1/orders/12?dry=1",
			Header: flow.Header{{Name: "Content-Type", Value: "application/json"}, {Name: "X-A", Value: "1"}, {Name: "X-A", Value: "two"}},
			Body:   flow.Body{Size: 9, Content: []byte(`{"n":2}`)}},
		Response: &flow.Response{Status: 503, Header: flow.Header{{Name: "Retry-After", Value: "3"}},
			Body: flow.Body{Content: []byte("later\nplease")}},
	}
}

// TestMethodAndPathBecomePattern is a pattern; what only resembles one is read as mitmproxy reads it.
func TestMethodAndPathBecomePattern(t *testing.T) {
	for text, want := range map[string]string{
		"POST /v1/orders":               `~m ^POST$ & ~u /v1/orders`,
		" POST  /v1/orders/12?dry=1 ":   `~m ^POST$ & ~u /v1/orders/12\?dry=1`,
		"POST https://api.example.com/": `~m ^POST$ & ~u https://api\.example\.com/`,
		"POST /v1/.*/12":                `~m ^POST$ & ~u /v1/.*/12`,
		"post /orders":                  "post /orders",
		"POST orders":                   "POST orders",
		"~m POST & ~u /order":           "~m POST & ~u /order",
		"POST /a /b":                    "POST /a /b",
		`POST "/a b"`:                   `POST "/a b"`,
	} {
		p, err := pattern.Parse(text)
		if err != nil || p.String() != want {
			t.Errorf("%q: got %v, %v, want %s", text, p, err, want)
		} else if strings.HasPrefix(want, "~m ^POST$") && !p.Match(order()) {
			t.Errorf("%q does not fit the order", text)
		}
	}
	if p, err := pattern.Parse("GET /v1/orders"); err != nil || p.Match(order()) {
		t.Errorf("got %v, %v, want that another method does not fit", p, err)
	}
}

// TestPatternMatchesExpectedFlows: patterns without a witness, because mitmproxy reads them differently or not at all.
func TestPatternMatchesExpectedFlows(t *testing.T) {
	socket := &flow.Flow{Request: flow.Request{Method: "GET", URL: "https://a/ws", Header: flow.Header{{Name: "Upgrade", Value: "WebSocket"}}},
		Messages: []flow.Message{{Sent: true, Data: []byte("hello")}, {Data: []byte("world")}}}
	denied := *socket
	denied.Response = &flow.Response{Status: 403}
	again := &flow.Flow{Repeats: "f_1"}
	for _, c := range []struct {
		text string
		flow *flow.Flow
		want bool
	}{
		{`~u "orders/\d+\?"`, order(), true},
		{`~u "orders/\\d+\\?"`, order(), true},
		{`~u "ORDERS/\D"`, order(), false},
		{`(~s)`, order(), true},
		{`(~m POST ~c 503)`, order(), true},
		{`~hq "^x-a: two$"`, order(), true}, // each line for itself
		{`~hs x-a`, order(), false},
		{`~bs "later.please$"`, order(), true},
		{`~dst ^api.example.com:443$`, order(), true},
		{`~websocket`, socket, true},
		{`~websocket`, &denied, false},
		{`~bq hello & ~bs world & !~bs hello`, socket, true},
		{`~replay & ~replayq`, again, true},
		{`~replay`, socket, false},
	} {
		p, err := pattern.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if p.Match(c.flow) != c.want {
			t.Errorf("%s: not %v", c.text, c.want)
		}
	}
}

func TestParseErrorNamesOffset(t *testing.T) {
	for _, c := range []struct {
		text     string
		offset   int
		says     string
		hintSays string
	}{
		{"", 0, "the pattern is empty", "~all"},
		{"~m POST & ~p /order", 10, "unknown operator ~p", "~u"},
		{"~m POST & ~path /order", 10, "unknown operator ~path", "~u"},
		{"~webscket", 0, "unknown operator ~webscket", "~websocket"},
		{"~status 500", 0, "unknown operator ~status", "~c 404"},
		{"~zzzzzzz", 0, "unknown operator", "~all"},
		{"~marked", 0, "~marked is not supported", "~u"},
		{"~q & ~tcp", 5, "only HTTP", "~http"},
		{"~replays", 0, "~replays", "~replay"},
		{"~c abc", 3, "100 to 599", "~c 404"},
		{"~c 404abc", 3, "100 to 599", ""},
		{"~c 700", 3, "100 to 599", ""},
		{"~u", 1, "~u needs a text", ""},
		{"~u (a|b)", 3, "in quotes", `"(a|b)"`},
		{"~u /a(b)", 5, "( needs quotes around the text", "quotes"},
		{`a"b"`, 1, "needs quotes around the text", ""},
		{`"a"b`, 3, "a space is missing", ""},
		{"~u\"x\"", 2, "a space is missing after ~u", ""},
		{"~m GET &", 7, "a condition is missing after this &", ""},
		{"& a", 0, "a condition is missing before this &", ""},
		{"a | | b", 2, "a condition is missing after this |", ""},
		{"~u a|~q", 4, "touches the text", "space"},
		{"!", 0, "a condition is missing after this !", ""},
		{"(a", 0, "unmatched (", ""},
		{"a)", 1, "unmatched )", ""},
		{"a & ()", 4, "empty brackets", ""},
		{`~u "abc`, 3, "unmatched quote", ""},
		{"~u \"a\nb\"", 5, "line break inside quotes", ""},
		{`~u "x(?=y)"`, 5, "looking ahead", "!"},
		{`~u "\"x(?<!y)"`, 7, "looking behind", ""},
		{`~u "(a)\1"`, 7, "reference to a group \\1", ""},
		{`~u "(a)\\1"`, 7, "reference to a group \\1", ""},
		{`~u "a\Z"`, 5, "\\Z", ""},
		{`~b a++`, 4, "possessive", ""},
		{`~u "é[a"`, 6, "missing closing ]", ""},
		{`~u "a(b"`, 4, "missing closing )", ""},
		{`~u *`, 3, "missing argument to repetition", ""},
		{strings.Repeat("!", 100) + "a", 64, "too many nested brackets", ""},
		{strings.Repeat("(", 100) + "a", 64, "too many nested brackets", ""},
		{strings.Repeat("a", 5000), 4096, "longer than 4096", ""},
		{"a\xff", 1, "UTF-8", ""},
	} {
		_, err := pattern.Parse(c.text)
		var e *pattern.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: %v", c.text, err)
			continue
		}
		if e.Offset != c.offset || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Hint, c.hintSays) || e.Hint == "" {
			t.Errorf("%.40s: offset %d: %s (%s)", c.text, e.Offset, e.Message, e.Hint)
		}
		if f := fault.From(err); f.Code != fault.InvalidInput || f.Details["offset"] != c.offset || f.Hint != e.Hint {
			t.Errorf("%.40s: fault %+v", c.text, f)
		}
	}
}

func TestParseAcceptsSyntaxThatResemblesPython(t *testing.T) {
	for _, text := range []string{`~u "[(?=]x"`, `~u "[]++]"`, `~u "[^]++]"`, `~u "\(?="`, `~u "(?P<n>a)(?i:b)(?:c)(?s)"`} {
		if _, err := pattern.Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestParseErrorMarksPlaceWithCaret(t *testing.T) {
	_, err := pattern.Parse("~u é\t& ~p x")
	if want := "\n  ~u é & ~p x\n         ^"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%s\nwant%s", err, want)
	}
	_, err = pattern.Parse(strings.Repeat("a ", 1000) + "~p " + strings.Repeat("b ", 1000))
	lines := strings.Split(err.Error(), "\n")
	if place := strings.IndexRune(lines[2], '^'); len(lines[1]) > 140 || string([]rune(lines[1])[place:place+2]) != "~p" {
		t.Errorf("%s", err)
	}
}

func TestPatternKnowsItsPhasesAndNeeds(t *testing.T) {
	for _, c := range []struct {
		text              string
		request, response bool
		needs             pattern.Needs
	}{
		{"~u x", true, true, pattern.Needs{}},
		{"~q", true, false, pattern.Needs{}},
		{"~s", false, true, pattern.Needs{Response: true}},
		{"!~s & ~m GET", true, false, pattern.Needs{}},
		{"~c 500", false, true, pattern.Needs{Response: true}},
		{"~u x & ~c 500", false, true, pattern.Needs{Response: true}},
		{"~u x | ~c 500", true, true, pattern.Needs{Response: true}},
		{"!~c 500", true, true, pattern.Needs{Response: true}},
		{"~bq x", true, true, pattern.Needs{RequestBody: true}},
		{"~bs x", false, true, pattern.Needs{Response: true, ResponseBody: true}},
		{"~b x", true, true, pattern.Needs{RequestBody: true, Response: true, ResponseBody: true}},
		{"~q & ~b x", true, false, pattern.Needs{RequestBody: true}},
		{"~all | ~bs x", true, true, pattern.Needs{}},
		{"~e", false, false, pattern.Needs{Response: true}},
		{"~h x", true, true, pattern.Needs{Response: true}},
		{"~a", false, true, pattern.Needs{Response: true}},
	} {
		p, err := pattern.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if p.RequestTime() != c.request || p.ResponseTime() != c.response || p.Needs() != c.needs {
			t.Errorf("%s: %v %v %+v", c.text, p.RequestTime(), p.ResponseTime(), p.Needs())
		}
	}
}

// TestCouldNeedsBodyOnlyIfUndecided: a body is asked for only where the request's head leaves the answer open.
func TestCouldNeedsBodyOnlyIfUndecided(t *testing.T) {
	head := order()
	head.Response, head.Request.Body = nil, flow.Body{}
	for _, c := range []struct {
		text  string
		phase pattern.Phase
		could bool
		needs pattern.Needs
	}{
		{"~d other & ~bq x", pattern.AtRequest, false, pattern.Needs{}},
		{"~d api & ~bq x", pattern.AtRequest, true, pattern.Needs{RequestBody: true}},
		{"~d api | ~bq x", pattern.AtRequest, true, pattern.Needs{}},
		{"~d other & ~bs x", pattern.AtResponse, false, pattern.Needs{}},
		{"~d api & ~bs x", pattern.AtResponse, true, pattern.Needs{Response: true, ResponseBody: true}},
		{"~d api & ~bs x", pattern.AtRequest, false, pattern.Needs{}},
		{"~u orders", pattern.AtResponse, true, pattern.Needs{Response: true}},
		{"~q", pattern.AtResponse, false, pattern.Needs{}},
	} {
		p, err := pattern.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if could, needs := p.Could(head, c.phase); could != c.could || needs != c.needs {
			t.Errorf("%s: %v %+v", c.text, could, needs)
		}
	}
}

// TestCouldAgreesWithFinalMatch: a phase that Could rules out never matches later, and the parts that it demands are enough for the final
// answer.
func TestCouldAgreesWithFinalMatch(t *testing.T) {
	text, err := os.ReadFile("testdata/witness.json")
	if err != nil {
		t.Fatal(err)
	}
	var witness struct {
		Flows   []flow.Flow
		Answers []struct{ Pattern, Meant string }
	}
	if err := json.Unmarshal(text, &witness); err != nil {
		t.Fatal(err)
	}
	for _, a := range witness.Answers {
		p, err := pattern.Parse(a.Pattern)
		if err != nil {
			continue
		}
		for i := range witness.Flows {
			whole := witness.Flows[i]
			whole.Trouble = flow.Trouble{} // no flow has failed while it passes
			for _, phase := range []pattern.Phase{pattern.AtRequest, pattern.AtResponse} {
				if phase == pattern.AtRequest {
					whole.Response = nil
				} else if whole.Response = witness.Flows[i].Response; whole.Response == nil {
					continue
				}
				checkCould(t, p, whole, phase)
			}
		}
	}
}

func checkCould(t *testing.T, p *pattern.Pattern, whole flow.Flow, phase pattern.Phase) {
	t.Helper()
	head := whole
	head.Response, head.Request.Body = nil, flow.Body{}
	could, needs := p.Could(&head, phase)
	if p.Match(&whole) && !could {
		t.Errorf("%s: matches %s in phase %d, which could not be", p, whole.Request.URL, phase)
	}
	asked := whole
	if !needs.RequestBody {
		asked.Request.Body = flow.Body{}
	}
	if asked.Response != nil && !needs.ResponseBody {
		r := *asked.Response
		r.Body, asked.Response = flow.Body{}, &r
	}
	if could && p.Match(&asked) != p.Match(&whole) {
		t.Errorf("%s: %s in phase %d: %+v is not enough", p, whole.Request.URL, phase, needs)
	}
}

func TestQuotedTextMatchesItself(t *testing.T) {
	for _, text := range []string{`https://a/b?c=1`, `quo"te 'and' \back`, `(x) | & ! ~u`} {
		p, err := pattern.Parse("~m GET & ~u " + pattern.Quote("^"+regexp.QuoteMeta(text)+"$"))
		if err != nil {
			t.Fatal(err)
		}
		if !p.Match(&flow.Flow{Request: flow.Request{Method: "GET", URL: text}}) {
			t.Errorf("%s does not find %s", p, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"~u a & !(~m GET | ~c 500)", `~b "x\"y" 'z'`, "~p", "a|b", `"(?=x)"`, "((", `~h "[^]" `, "~hs \\x", "é ~q",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := pattern.Parse(text)
		if err != nil {
			var e *pattern.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || e.Hint == "" || e.Message == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			_ = fault.From(err)
			return
		}
		if p.String() != text {
			t.Fatalf("%q became %q", text, p)
		}
		whole := order()
		checkCould(t, p, *whole, pattern.AtResponse)
		whole.Response = nil
		checkCould(t, p, *whole, pattern.AtRequest)
		if !p.RequestTime() && p.Match(whole) {
			t.Fatalf("%q holds at request time", text)
		}
		again, err := pattern.Parse("(" + text + ")")
		if err != nil && len(text) < pattern.Most-2 && !strings.Contains(err.Error(), "too many nested brackets") {
			t.Fatalf("(%q): %v", text, err)
		} else if err == nil && again.Match(whole) != p.Match(whole) {
			t.Fatalf("(%q) means something else", text)
		}
	})
}
