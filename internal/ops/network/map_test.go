package network_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/network"
)

// TestMapAnswersFromFileFolderOrServer: a HAR that was exported, a folder, a file and another server answer in place of the server, and the
// list of mocks tells from where and how often.
func TestMapAnswersFromFileFolderOrServer(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	har, folder := filepath.Join(w.dir, "all.har"), filepath.Join(w.dir, "fixtures")
	w.Must("export_flows", fmt.Sprintf(`{"out":%q}`, har), nil)
	if err := os.MkdirAll(filepath.Join(folder, "api"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"api/items.json": `["tea"]`, "note.txt": "a note"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	staging := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(out, "staging %s %s", r.Host, r.URL)
	}))
	t.Cleanup(staging.Close)
	w.server.Config.Handler = http.NotFoundHandler()
	for _, c := range []struct {
		input, path string
		code        int
		want, says  string
	}{
		{fmt.Sprintf(`{"har":%q}`, har), "/order", 200, "POST /order  shoes", "the HAR " + har + " (1 response)"},
		{fmt.Sprintf(`{"pattern":"POST /api","folder":%q}`, folder), "/api/items.json", 200, `["tea"]`, "the folder " + folder},
		{fmt.Sprintf(`{"pattern":"POST /config","file":%q}`, folder+"/note.txt"), "/config", 200, "a note", "note.txt"},
		{fmt.Sprintf(`{"pattern":"POST /live","to":%q}`, staging.URL+"/v2"), "/live?q=1", 200,
			"staging " + strings.TrimPrefix(staging.URL, "http://") + " /v2/live?q=1", staging.URL + "/v2"},
		{fmt.Sprintf(`{"pattern":"POST /gone","folder":%q}`, folder), "/gone", 404, "404 page not found", ""},
	} {
		var got network.MockOut
		e := w.Must("proxy_map", c.input, &got)
		code, text := w.ask("POST", c.path, "shoes")
		if code != c.code || strings.TrimSpace(text) != c.want || !strings.Contains(e.Stdout, c.says) {
			t.Errorf("%s: got %d %q from\n%s\nwant %d %q from %s", c.input, code, text, e.Stdout, c.code, c.want, c.says)
		}
		if e = w.Must("proxy_mocks", `{}`, nil); c.code == 200 && !strings.Contains(e.Stdout, "answered 1 time") ||
			c.code != 200 && !strings.Contains(e.Stdout, "not used yet") {
			t.Errorf("%s: got\n%s\nwant how often it answered", c.input, e.Stdout)
		}
		w.Must("proxy_unmock", `{"all":true}`, nil)
	}
	if _, _, err := w.try("POST", "/gone", ""); err != nil {
		t.Error(err)
	}
	w.Must("proxy_map", fmt.Sprintf(`{"pattern":"POST /gone","folder":%q,"missing":"abort"}`, folder), nil)
	if code, text, err := w.try("POST", "/gone", ""); err == nil {
		t.Errorf("got %d %q, want the connection reset", code, text)
	}
	w.Refused("proxy_map", fmt.Sprintf(`{"har":%q,"id":"x"}`, har), fault.MockNotFound, "x")
	w.Refused("proxy_map", `{"pattern":"POST /a"}`, fault.InvalidInput, "har")
	w.Refused("proxy_map", `{"har":"/nowhere.har"}`, fault.PathError, "it is not there")
	w.Refused("proxy_map", fmt.Sprintf(`{"har":%q}`, folder+"/note.txt"), fault.PathError, "it must be a HAR")
	w.Refused("proxy_map", `{"pattern":"POST /a","to":"ftp://x"}`, fault.InvalidInput, "address of a server")
	w.Refused("proxy_map", `{"pattern":"POST /a","to":"http://x","id":"mock_00000000"}`, fault.MockNotFound, "mock_00000000")
}

// TestThrottleIsReportedUntilItEnds: a throttle says what it does; the newest that fits counts; off ends it.
func TestThrottleIsReportedUntilItEnds(t *testing.T) {
	w := newWire(t)
	w.Refused("proxy_throttle", `{"profile":"3g"}`, fault.ProxyNotRunning)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "")
	e := w.Must("proxy_throttle", `{"profile":"3g"}`, nil)
	want := "3g, 100 ms delay, down 780 kbit/s, up 330 kbit/s, for requests\nhint: " +
		hint.Do("proxy_throttle", "profile", "off") + " ends it"
	if e.Stdout != want {
		t.Errorf("got\n%s\nwant\n%s", e.Stdout, want)
	}
	var got network.ThrottleOut
	e = w.Must("proxy_throttle", `{"profile":"offline","pattern":"POST /order"}`, &got)
	if len(got.Throttles) != 2 || !strings.HasPrefix(got.Throttles[0], "offline, for ~m") || got.Fitting != 1 ||
		!strings.Contains(e.Stdout, "offline, for ") {
		t.Errorf("got %+v and\n%s\nwant the offline one first, with the request that it fits", got, e.Stdout)
	}
	if code, text, err := w.try("POST", "/order", ""); err == nil {
		t.Errorf("got %d %q, want no answer", code, text)
	}
	w.ask("GET", "/a", "")
	e = w.Must("list_flows", `{"limit":2}`, nil)
	if strings.Count(e.Stdout, "  throttled") != 2 || !strings.Contains(e.Stdout, "the throttle is offline") {
		t.Errorf("got\n%s\nwant both throttled, one offline", e.Stdout)
	}
	if e = w.Must("proxy_status", `{}`, nil); strings.Count(e.Stdout, "\nthrottled: ") != 2 {
		t.Errorf("got\n%s\nwant both throttles", e.Stdout)
	}
	if w.Must("proxy_throttle", `{"profile":"off","pattern":"POST /order"}`, &got); len(got.Throttles) != 1 || got.Ended != 1 {
		t.Errorf("got %+v, want 3g to stay", got)
	}
	if e = w.Must("proxy_throttle", `{"profile":"off"}`, &got); len(got.Throttles) != 0 ||
		e.Stdout != "this session throttles no requests" {
		t.Errorf("got %+v and %q, want none", got, e.Stdout)
	}
	if code, _ := w.ask("POST", "/order", ""); code != 200 {
		t.Errorf("got %d, want an answer", code)
	}
	w.Refused("proxy_throttle", `{"latency_ms":1,"pattern":"~c 500"}`, fault.InvalidInput, "the pattern is about responses")
	w.Refused("proxy_throttle", `{"profile":"5g"}`, fault.InvalidInput, "very-bad")
	w.Refused("proxy_throttle", `{"profile":"3g","udid":"X"}`, fault.DeviceNotFound, "X")
}
