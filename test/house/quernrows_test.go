package house_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/test/freeport"
	"ios-agent/test/goldenrows"
)

// TestQuernNetworkAnswersMatchGolden asks quern's rows about the network for what is usual, with filters, page by page, and wrongly: before
// a proxy runs, while one does, and after. Waits and what is held are in TestAQuernProxySession.
func TestQuernNetworkAnswersMatchGolden(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	r := &rowAsker{wire: w, port: fmt.Sprint(freeport.Of(t)), seen: map[string]string{}}
	ask := func(requests ...string) {
		for _, request := range requests {
			r.ask(request)
		}
	}
	for _, row := range []struct {
		name string
		do   func()
	}{
		{"none-runs", func() {
			ask("GET status", "GET flows", "GET flows/summary", "GET flows/f_000000000000", "GET intercept/held", "GET mocks", "POST stop",
				`POST intercept {"pattern":"~all"}`, "DELETE intercept", `POST intercept/release {"flow_id":"f_000000000000"}`,
				"POST intercept/release-all", `POST mock {"pattern":"~all"}`, "DELETE mocks", `POST filter {"host":"x.example"}`,
				"POST replay/f_000000000000", "GET cert", "POST configure-system", "POST unconfigure-system")
		}},
		{"start", func() {
			ask(`POST start {"port":"many"}`, `POST start {"port":70000}`, `POST start {"listen_host":"nowhere"}`, `POST start {"ports":1}`,
				`POST start {"port":PORT}`, "POST start", "GET status", "GET status?verbose=1")
		}},
		{"flows", func() {
			w.send("GET", "/products?page=1", "")
			w.send("GET", "/products?page=2", "")
			w.send("POST", "/broken/order", `{"amount":1,"password":"hunter2"}`)
			ask("GET flows", "GET flows?limit=1", "GET flows?limit=1&offset=1", "GET flows?limit=1&offset=2", "GET flows?offset=9",
				"GET flows?method=get", "GET flows?status_min=400", "GET flows?status_max=399&limit=1", "GET flows?path_contains=order",
				"GET flows?host=nobody.example", "GET flows?has_error=true", "GET flows?simulator_udid=nobody", "GET flows?client_ip=127.0.0.1&limit=1",
				"GET flows?limit=0", "GET flows?limit=many", "GET flows?offset=-1", "GET flows?since=soon", "GET flows?status=500", "GET flows/f_1",
				"GET flows/f_3", "GET flows/f_000000000000", "GET flows/nonsense", "GET flows/f_1?bodies=1")
		}},
		{"summary", func() {
			ask("GET flows/summary", "GET flows/summary?window=1h", "GET flows/summary?host=nobody.example", "GET flows/summary?window=2h",
				"GET flows/summary?since_cursor=nonsense", "GET flows/summary?limit=1")
		}},
		{"mock", func() {
			ask(`POST mock {"pattern":"~u /flat","status_code":418,"headers":{"x-a":"b"},"body":"{{now}}"}`,
				`POST mocks {"pattern":"~u /nested","response":{"status_code":503,"body":"gone"}}`, "GET mock", "GET mocks",
				`POST mock {"pattern":"~("}`, `POST mock {}`, `POST mock {"pattern":"~all","status_code":99}`,
				`POST mock {"pattern":"~all","response":{"no":1}}`, `PATCH mocks/mock_1 {"status_code":404}`, `PATCH mocks/mock_1 {}`,
				`PATCH mocks/mock_00000000 {"body":"x"}`, "DELETE mocks/mock_1", "DELETE mocks/mock_1", "DELETE mock", "GET mocks?limit=1")
		}},
		{"intercept", func() {
			ask(`POST intercept {"pattern":"~u /held"}`, "GET intercept/held", `POST intercept {"pattern":"~p x"}`, "POST intercept",
				"GET intercept/held?timeout=61", `POST intercept/release {"flow_id":"f_000000000000"}`, "POST intercept/release",
				`POST intercept/release {"flow_id":"f_1","modifications":{"no":1}}`, "POST intercept/release-all", "DELETE intercept",
				"DELETE intercept?all=1")
		}},
		{"replay", func() {
			ask(`POST replay/f_3 {"modify_headers":{"x-again":"1"},"modify_body":"again"}`, `POST replay/f_3 {"modify_headers":"x"}`,
				"POST replay/f_000000000000", `POST replay/f_3 {"body":"x"}`)
		}},
		{"filter", func() {
			ask(`POST filter {"host":"x.example"}`, "GET status", `POST filter {"host":"a b"}`, `POST filter {"hosts":["x"]}`, "POST filter {}",
				`POST flows/wait {"path_contains":"/never","timeout":0.1}`, `POST flows/wait {"timeout":0}`, `POST flows/wait {"timeout":61}`)
		}},
		{"system", func() {
			ask(`POST configure-system {"interface":"Ethernet 9"}`, `POST configure-system {"service":"Wi-Fi"}`, "POST configure-system",
				"GET status", "POST configure-system", "POST unconfigure-system", "POST unconfigure-system",
				`POST configure-system {"interface":"Wi-Fi"}`)
		}},
		{"stop", func() {
			ask("GET setup-guide", "GET cert?format=p12", "POST stop", "POST stop", "GET status", "GET flows?limit=1")
		}},
	} {
		r.got.Reset()
		row.do()
		goldenrows.Same(t, filepath.Join("testdata", "quern", row.name+".golden"), r.got.String())
	}
}

// rowAsker asks, and writes down what came back without what differs from run to run.
type rowAsker struct {
	*wire
	port string
	got  strings.Builder
	seen map[string]string // ids, and how they are told: f_1 is the first that came
}

// ask sends METHOD path {body} to the rows of the network. An id such as f_1 stands for the first that came, PORT for the proxy's.
func (r *rowAsker) ask(request string) {
	r.t.Helper()
	real := strings.ReplaceAll(request, "PORT", r.port)
	for id, name := range r.seen {
		real = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(real, id)
	}
	line, body, has := strings.Cut(real, " {")
	method, path, _ := strings.Cut(line, " ")
	var sent any
	if has {
		sent = "{" + body
	}
	w := r.REST("quern-client", method, "/api/v1/proxy/"+path, sent)
	var answer any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		r.t.Fatalf("%s: %v: %s", request, err, w.Body)
	}
	if object, is := answer.(map[string]any); is {
		delete(object, "meta")
	}
	fmt.Fprintf(&r.got, "> %s\n%d\n%s\n", request, w.Code, r.plain(goldenrows.Lines(r.t, steady(answer))))
}

var (
	longID  = regexp.MustCompile(`\b(f|mock)_[0-9a-f]{8,12}\b`)
	moments = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|\+00:00)?`)
	port    = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
)

// plain replaces ids by the order in which they came, and times and ports by their names.
func (r *rowAsker) plain(text string) string {
	text = longID.ReplaceAllStringFunc(text, func(id string) string {
		kind, digits, _ := strings.Cut(id, "_")
		if strings.Trim(digits, "0") == "" {
			return id
		}
		if r.seen[id] == "" {
			n := 1
			for other := range r.seen {
				if strings.HasPrefix(other, kind+"_") {
					n++
				}
			}
			r.seen[id] = fmt.Sprintf("%s_%d", kind, n)
		}
		return r.seen[id]
	})
	text = strings.ReplaceAll(text, r.Home.String(), "HOME")
	return port.ReplaceAllString(moments.ReplaceAllString(text, "TIME"), "127.0.0.1:PORT")
}

// steady is an answer without durations, ports and dates.
func steady(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = steady(value[i])
		}
	case map[string]any:
		for key, one := range value {
			_, number := one.(float64)
			switch {
			case number && (strings.HasSuffix(key, "port") || key == "elapsed_seconds"):
				value[key] = strings.ToUpper(key)
			case key == "date" || key == "cursor" || strings.HasSuffix(key, "_ms"): // null where a connection was there already
				value[key] = strings.ToUpper(key)
			default:
				value[key] = steady(one)
			}
		}
	}
	return value
}
