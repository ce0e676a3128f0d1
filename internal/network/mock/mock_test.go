package mock_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/pattern"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 7e6, time.UTC)

func order() *flow.Flow {
	return &flow.Flow{ID: "f_000000000001", Request: flow.Request{
		Method: "POST", URL: "https://api.example.com:8443/v1/orders%2F/tea%20pot?id=7&id=8&q=a%22b",
		Header: flow.Header{{Name: "X-A", Value: "one"}, {Name: "x-a", Value: "two"}},
		Body:   flow.Body{Content: []byte(`{"item":"green \"tea\"","n":2,"tags":["a",{"b":null}],"big":12345678901234567890}`)},
	}}
}

func rule(text string, r mock.Response) mock.Rule {
	return mock.Rule{ID: "mock_0000000a", Pattern: text, Response: r}
}

func newSet(t *testing.T, rules ...mock.Rule) *mock.Set {
	t.Helper()
	s, err := mock.NewSet(rules, nil, func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTemplatesExpandRequestValues(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                        "plain",
		"{{request.method}} {{ now }}": "POST 2026-05-04T12:00:00.007Z",
		"{{request.scheme}}|{{request.host}}|{{request.path}}":     "https|api.example.com:8443|/v1/orders%2F/tea%20pot",
		"{{request.path.2}}|{{request.path.3}}|{{request.path.9}}": "orders/|tea pot|",
		"{{request.url}}":                                 order().Request.URL,
		"{{request.query}} {{request.query.id}}":          "id=7&id=8&q=a%22b 7",
		"[{{request.query.none}}{{request.header.none}}]": "[]",
		"{{request.header.X-a}}":                          "one",
		"{{request.json.item}} {{request.json.n}}":        `green "tea" 2`,
		"{{request.json.tags}} {{request.json.tags.0}}":   `["a",{"b":null}] a`,
		"[{{request.json.tags.1.b}}{{request.json.tags.9}}{{request.json.tags.x}}{{request.json.n.x}}]": "[]",
		"{{request.json.big}}":                      "12345678901234567890",
		"{{now.unix}} {{now.unix_ms}} {{now.http}}": "1777896000 1777896000007 Mon, 04 May 2026 12:00:00 GMT",
		"{{counter}}":                               "1",
		"{{{{request.path}} {{{{{{{{ }} { {{{{{":    "{{request.path}} {{{{ }} { {{{",
	} {
		a := newSet(t, rule("~all", mock.Response{Body: text})).Answer(order())
		if string(a.Body) != want {
			t.Errorf("%s: %s", text, a.Body)
		}
	}
	s := newSet(t, rule("~all", mock.Response{Body: "{{uuid}} {{counter}}"}))
	one, two := string(s.Answer(order()).Body), string(s.Answer(order()).Body)
	if len(one) != 38 || one[14] != '4' || one[:36] == two[:36] || !strings.HasSuffix(two, " 2") {
		t.Errorf("%s, %s", one, two)
	}
}

func TestTemplateValuesCannotInjectJSONOrHeaders(t *testing.T) {
	header := flow.Header{{Name: "content-type", Value: "application/json"}, {Name: "X-Item", Value: "{{request.json.item}}"}}
	body := `{"q":"{{request.query.q}}","n":{{request.json.n}},"t":{{request.json.tags}}}`
	a := newSet(t, rule("~all", mock.Response{Header: header, Body: body})).Answer(order())
	if string(a.Body) != `{"q":"a\"b","n":2,"t":["a",{"b":null}]}` {
		t.Errorf("%s", a.Body)
	}
	f := order()
	f.Request.URL = "https://a/?q=x%0d%0aSet-Cookie:%20a%3d1"
	header = flow.Header{{Name: "X-Q", Value: "{{request.query.q}}"}}
	a = newSet(t, rule("~all", mock.Response{Header: header})).Answer(f)
	if a.Header.Get("x-q") != "x  Set-Cookie: a=1" {
		t.Errorf("%q", a.Header)
	}
}

func TestJSONBodyExpandsTemplates(t *testing.T) {
	raw := json.RawMessage(`{"id":"{{counter}}","n":"{{request.json.n}}","tags":"{{request.json.tags}}","none":"{{request.json.x}}",
		"text":"n={{request.json.n}} \"{{request.query.q}}\"","list":[1.50,true,null,"<b>"]}`)
	a := newSet(t, rule("~all", mock.Response{JSON: raw})).Answer(order())
	want := `{"id":1,"list":[1.50,true,null,"<b>"],"n":2,"none":null,"tags":["a",{"b":null}],"text":"n=2 \"a\"b\""}`
	if string(a.Body) != want || a.Header.Get("content-type") != "application/json" || a.Status != 200 {
		t.Errorf("%s %v", a.Body, a.Header)
	}
	own := flow.Header{{Name: "Content-Type", Value: "x/y"}}
	if a := newSet(t, rule("~all", mock.Response{JSON: raw, Header: own})).Answer(order()); len(a.Header) != 1 {
		t.Errorf("%v", a.Header)
	}
}

func TestAnswerReturnsFieldsOfMatchingRule(t *testing.T) {
	r := mock.Rule{ID: "mock_0000000b", Pattern: "~u orders", Response: mock.Response{
		Status: 503, Delay: time.Second, Fault: flow.Truncated, Body: "later",
		Header: flow.Header{{Name: "Set-Cookie", Value: "a=1"}, {Name: "X-B", Value: "c"}, {Name: "Set-Cookie", Value: "b={{counter}}"}},
	}}
	want := &flow.Answer{Rule: "mock_0000000b", Status: 503, Delay: time.Second, Fault: flow.Truncated, Body: []byte("later"),
		Header: flow.Header{{Name: "Set-Cookie", Value: "a=1"}, {Name: "X-B", Value: "c"}, {Name: "Set-Cookie", Value: "b=1"}}}
	if got := newSet(t, r).Answer(order()); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := newSet(t, rule("~all", mock.Response{Bytes: []byte("{{no}}\xff")})).Answer(order()); string(got.Body) != "{{no}}\xff" {
		t.Errorf("%q", got.Body)
	}
	if got := newSet(t, rule("~u nothing", mock.Response{})).Answer(order()); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestRuleStopsAfterItsTimes(t *testing.T) {
	rules := []mock.Rule{
		{ID: "mock_00000001", Pattern: "~all", Times: 2, Response: mock.Response{Status: 500}},
		{ID: "mock_00000002", Pattern: "~all", Times: 1, Response: mock.Response{Status: 404}},
	}
	s := newSet(t, rules...)
	var got []int
	for range 5 {
		if a := s.Answer(order()); a != nil {
			got = append(got, a.Status)
		} else {
			got = append(got, 0)
		}
	}
	if !reflect.DeepEqual(got, []int{500, 500, 404, 0, 0}) || s.Hits()["mock_00000001"] != 2 {
		t.Errorf("%v %v", got, s.Hits())
	}
	if could, _ := s.Look(order()); could {
		t.Error("rules that are used up could still answer")
	}
	rules[1].Response.Status = 405
	again, err := mock.NewSet(rules, s, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if a := again.Answer(order()); a == nil || a.Status != 405 {
		t.Errorf("a changed rule does not begin anew: %+v", a)
	}
}

// TestTimesIsExactWithConcurrentRequests: with many requests at once a rule answers exactly so many, and counts each once.
func TestTimesIsExactWithConcurrentRequests(t *testing.T) {
	s := newSet(t, mock.Rule{ID: "mock_00000001", Pattern: "~all", Times: 9000, Response: mock.Response{Body: "{{counter}}"}})
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen, answers := map[string]bool{}, 0
	for range 4 {
		wg.Go(func() {
			var mine []string
			for range 2500 {
				if a := s.Answer(order()); a != nil {
					mine = append(mine, string(a.Body))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			for _, one := range mine {
				seen[one] = true
			}
			answers += len(mine)
		})
	}
	wg.Wait()
	if len(seen) != 9000 || answers != 9000 {
		t.Errorf("%d answers, %d numbers", answers, len(seen))
	}
}

// TestLookNeedsBodyOnlyForBodyRules: a body is read before the rules are asked only if a rule that may be taken looks at it.
func TestLookNeedsBodyOnlyForBodyRules(t *testing.T) {
	plain, inBody := mock.Response{}, mock.Response{Header: flow.Header{{Name: "X", Value: "{{request.json.n}}"}}}
	head := order()
	head.Request.Body = flow.Body{}
	for _, c := range []struct {
		rules       []mock.Rule
		could, body bool
	}{
		{nil, false, false},
		{[]mock.Rule{{Pattern: "~m GET", Response: inBody}}, false, false},
		{[]mock.Rule{{Pattern: "~m POST", Response: plain}}, true, false},
		{[]mock.Rule{{Pattern: "~m POST", Response: inBody}}, true, true},
		{[]mock.Rule{{Pattern: "~bq tea", Response: plain}}, true, true},
		{[]mock.Rule{{Pattern: "~m POST", Response: plain}, {Pattern: "~bq tea", Response: inBody}}, true, false},         // never asked
		{[]mock.Rule{{Pattern: "~m POST", Response: plain, Times: 1}, {Pattern: "~bq tea", Response: plain}}, true, true}, // soon
		{[]mock.Rule{{Pattern: "~m GET", Response: plain}, {Pattern: "~all", Response: inBody}}, true, true},
	} {
		for i := range c.rules {
			c.rules[i].ID = mock.NewID()
		}
		if could, body := newSet(t, c.rules...).Look(head); could != c.could || body != c.body {
			t.Errorf("%+v: %v %v", c.rules, could, body)
		}
	}
}

// TestPutKeepsPlaceOfChangedRule: quern moved an updated mock to the end.
func TestPutKeepsPlaceOfChangedRule(t *testing.T) {
	var rules []mock.Rule
	for _, id := range []string{"mock_00000001", "mock_00000002", "mock_00000003"} {
		rules, _ = mock.Put(rules, mock.Rule{ID: id}) // far from the limit
	}
	before := rules
	rules, _ = mock.Put(rules, mock.Rule{ID: "mock_00000002", Pattern: "new"})
	if rules[1].Pattern != "new" || len(rules) != 3 || before[1].Pattern != "" {
		t.Errorf("%+v, before %+v", rules, before)
	}
}

func TestCheckNamesInvalidField(t *testing.T) {
	for _, c := range []struct {
		rule  mock.Rule
		field string
		says  string
	}{
		{mock.Rule{ID: "x", Pattern: "~all"}, "id", "8 hexadecimal"},
		{rule("~p x", mock.Response{}), "match", "offset 0"},
		{rule("~c 500", mock.Response{}), "match", "instead of the server"},
		{rule("~all", mock.Response{Status: 101}), "status", "200 to 599"},
		{rule("~all", mock.Response{Status: 600}), "status", "200 to 599"},
		{rule("~all", mock.Response{Fault: "explode"}), "fault", "unknown fault"},
		{rule("~all", mock.Response{Delay: -1}), "delay", ""},
		{rule("~all", mock.Response{Delay: time.Hour}), "delay", ""},
		{rule("~all", mock.Response{Body: "a", JSON: json.RawMessage("1")}), "body", "only one body"},
		{rule("~all", mock.Response{JSON: json.RawMessage("{")}), "json", "must be JSON"},
		{rule("~all", mock.Response{JSON: json.RawMessage(`{"a":["{{nope}}"]}`)}), "json", `unknown value "nope"`},
		{rule("~all", mock.Response{Body: "a\nb {{request.pth}}"}), "body", `offset 4 (line 2): unknown value "request.pth"`},
		{rule("~all", mock.Response{Body: "a {{request.path"}), "body", "not closed"},
		{rule("~all", mock.Response{Body: "{{{request.path}}}"}), "body", "unknown value"},
		{rule("~all", mock.Response{Body: "{{request.path.x}}"}), "body", "unknown value"},
		{rule("~all", mock.Response{Body: "{{request.query.}}"}), "body", "unknown value"},
		{rule("~all", mock.Response{Body: strings.Repeat("{{request.body}}", 201)}), "body", "maximum is 200"},
		{rule("~all", mock.Response{Header: flow.Header{{Name: "a b", Value: "c"}}}), "headers", "invalid header name"},
		{rule("~all", mock.Response{Header: flow.Header{{Name: "a", Value: "b\r\nc: d"}}}), "headers", "line break"},
		{rule("~all", mock.Response{Header: flow.Header{{Name: "a", Value: "{{x}}"}}}), "headers", "unknown value"},
		{rule("~all", mock.Response{Header: flow.Header{{Name: "Content-length", Value: "3"}}}), "headers", "the proxy itself"},
		{rule("~all", mock.Response{BodyFile: "a.json"}), "body_file", "in the folder"},
		{rule("~all", mock.Response{BodyFile: "../a.json", Folder: "/x"}), "body_file", "in the folder"},
		{rule("~all", mock.Response{BodyFile: "/etc/passwd", Folder: "/x"}), "body_file", "in the folder"},
	} {
		err := mock.Check(c.rule)
		var e *mock.Error
		if !errors.As(err, &e) || e.Field != c.field || !strings.Contains(e.Why, c.says) || e.Hint == "" {
			t.Errorf("%+v: %v", c.rule, err)
		} else if f := fault.From(err); f.Code != fault.InvalidInput || f.Hint == "" {
			t.Errorf("%+v", f)
		}
	}
	if err := mock.Check(rule("~p x", mock.Response{})); !errors.As(err, new(*pattern.Error)) {
		t.Errorf("the pattern's error is lost: %v", err)
	}
	if err := mock.Check(rule("~all", mock.Response{Body: "{{x}}"})); !errors.As(err, new(*mock.TemplateError)) {
		t.Errorf("the template's error is lost: %v", err)
	}
	if _, err := mock.NewSet([]mock.Rule{rule("~all", mock.Response{}), rule("~q", mock.Response{})}, nil, time.Now); err == nil {
		t.Error("two rules have one id")
	}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"a {{request.path}} b", "{{{{", "{{{", "}}", "{{request.json.a.b}}", "{{ now }}", "é{{", "{{\n}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := rule("~all", mock.Response{Body: text, Header: flow.Header{{Name: "X", Value: text}}})
		if err := mock.Check(r); err == nil {
			a := newSet(t, r).Answer(order())
			if strings.ContainsAny(a.Header[0].Value, "\r\n\x00") {
				t.Fatalf("%q: %q", text, a.Header)
			}
			if !strings.Contains(text, "{{") && string(a.Body) != text {
				t.Fatalf("%q became %q", text, a.Body)
			}
		} else if e := (*mock.TemplateError)(nil); errors.As(err, &e) && (e.Offset < 0 || e.Offset >= len(text) || e.Line < 1 || e.Hint == "") {
			t.Fatalf("%q: %+v", text, e)
		}
		escaped := rule("~all", mock.Response{Body: strings.ReplaceAll(text, "{{", "{{{{")})
		if again := newSet(t, escaped).Answer(order()); string(again.Body) != text {
			t.Fatalf("%q, escaped, became %q", text, again.Body)
		}
	})
}
