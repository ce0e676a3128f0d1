package network_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/ops/network"
)

// TestExportWritesHARCommandOrBody: as HAR, which other programs read, as a command, or a body.
func TestExportWritesHARCommandOrBody(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("GET", "/a", "")
	w.ask("POST", "/order", "shoes")
	dir := t.TempDir()
	for _, c := range []struct {
		input        string
		count, total int
		has, not     string
	}{
		{``, 2, 2, `"version":"1"`, "geheim-0815"},
		{`,"reveal":true`, 2, 2, "geheim-0815", ""},
		{`,"limit":1`, 1, 2, "/order", "/a\""},
		{`,"path":"/a"`, 1, 1, "/a\"", "/order"},
		{`,"flow":"latest"`, 1, 1, "/order", "/a\""},
		{`,"format":"curl","flow":"latest"`, 1, 1, "shoes", "geheim-0815"},
		{`,"format":"request","flow":"latest"`, 1, 1, "shoes", "POST"},
		{`,"format":"response","flow":"latest"`, 1, 1, "POST /order  shoes", "{"},
	} {
		path := filepath.Join(dir, "out")
		var got network.ExportFlowsOut
		w.Must("export_flows", `{"out":"`+path+`","force":true`+c.input+`}`, &got)
		text, err := os.ReadFile(path)
		if err != nil || got.Count != c.count || got.Total != c.total || got.Bytes != int64(len(text)) {
			t.Errorf("%s: got %+v, %d bytes and %v; want %d of %d", c.input, got, len(text), err, c.count, c.total)
		}
		plain := strings.ReplaceAll(string(text), `": `, `":`)
		if !strings.Contains(plain, c.has) || c.not != "" && strings.Contains(plain, c.not) {
			t.Errorf("%s: got\n%s\nwant %q in it and not %q", c.input, plain, c.has, c.not)
		}
		if strings.Contains(c.input, "format") {
			continue
		}
		var har struct {
			Log struct {
				Entries []struct{ Request struct{ Method, URL string } }
			}
		}
		if err := json.Unmarshal(text, &har); err != nil || len(har.Log.Entries) != c.count {
			t.Errorf("%s: got %v and %d entries, want HAR with %d", c.input, err, len(har.Log.Entries), c.count)
		}
	}
}

// TestExportBoundsDecompressedBodies: of answers that unpack to much, only so much is read for one file. The rest is as flows carry it, and
// said.
func TestExportBoundsDecompressedBodies(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	for i := range 6 {
		w.ask("GET", fmt.Sprintf("/bomb%d", i), "")
	}
	path := filepath.Join(t.TempDir(), "out.har")
	var got network.ExportFlowsOut
	w.Must("export_flows", `{"out":"`+path+`"}`, &got)
	if got.Count != 6 || got.Short != 3 || got.Bytes < 3<<20 || got.Bytes > 4<<20 {
		t.Errorf("got %+v, want 6 requests, and of 3 only the beginning", got)
	}
	if text := got.Text(); !strings.Contains(text, "; 3 of the bodies are cut") {
		t.Errorf("got %q, want it said", text)
	}
}

// TestExportOmitsBodiesOnRequest: the archive has the requests and none of what they carried.
func TestExportOmitsBodiesOnRequest(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	w.ask("GET", "/bomb", "")
	path := filepath.Join(t.TempDir(), "out.har")
	var got network.ExportFlowsOut
	w.Must("export_flows", `{"out":"`+path+`","no_bodies":true}`, &got)
	text, err := os.ReadFile(path)
	if err != nil || got.Count != 2 || got.Short != 0 || len(text) > 10<<10 || strings.Contains(string(text), "shoes") {
		t.Errorf("got %+v, %v and %d bytes, want 2 requests without what they carried", got, err, len(text))
	}
	w.Refused("export_flows", `{"out":"`+path+`2","no_bodies":true,"format":"request","flow":"latest"}`, fault.InvalidInput, "without bodies")
}

func TestExportRefusesInvalidInputWithoutFile(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("GET", "/a", "")
	path := filepath.Join(t.TempDir(), "out")
	refused := func(rest string, code fault.Code, says ...string) {
		t.Helper()
		w.Refused("export_flows", `{"out":"`+path+`"`+rest+`}`, code, says...)
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s: got %v, want no file", rest, err)
		}
	}
	refused(`,"format":"curl"`, fault.InvalidInput, "the format curl needs one request", hint.Field("flow"))
	refused(`,"flow":"f_nothing"`, fault.FlowNotFound, "f_nothing")
	refused(`,"since":"then"`, fault.InvalidInput, "since")
	refused(`,"step":"s9"`, fault.StepNotFound, "s9")
	w.server.Close()
	w.Must("proxy_mock", `{"pattern":"~u /lost","fault":"reset"}`, nil)
	if _, _, err := w.try("GET", "/lost", ""); err == nil {
		t.Error("the mock resets the connection, and an answer came")
	}
	w.Must("wait_flow", `{"request":"/lost"}`, nil)
	refused(`,"format":"response","flow":"latest"`, fault.FlowNotFound, " has no response", "‹do:show_flow {")
}

// TestWaitMatchesRequestOfLastFiveSeconds: a request of the last 5 s counts, an older one does not, unless the caller says since when.
func TestWaitMatchesRequestOfLastFiveSeconds(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	w.ask("POST", "/order", "shoes")
	came := time.Now()
	for after, matches := range map[time.Duration]bool{time.Second: true, time.Minute: false} {
		w.now = func() time.Time { return came.Add(after) }
		var got network.WaitFlowOut
		if w.Must("wait_flow", `{"request":"/order","timeout_ms":0,"soft":true}`, &got); got.Matched != matches {
			t.Errorf("%s later: got %v, want %v", after, got.Matched, matches)
		}
		if w.Must("wait_flow", `{"request":"/order","timeout_ms":0,"since":"1h"}`, &got); !got.Matched {
			t.Errorf("%s later, of the last hour: got no match", after)
		}
	}
}

// TestNewHoldReleasesRequestsOfOldHold, and says how many; what another session holds stays.
func TestNewHoldReleasesRequestsOfOldHold(t *testing.T) {
	w := newWire(t)
	w.as("ann").Must("proxy_start", `{}`, nil)
	w.Must("proxy_hold", `{"pattern":"~u /order"}`, nil)
	came := make(chan string, 1)
	go func() {
		_, body, err := w.try("POST", "/order", "shoes")
		if err != nil {
			body = err.Error()
		}
		came <- body
	}()
	var held network.HeldOut
	w.Must("proxy_held", `{"wait_ms":30000}`, &held)
	var got network.HoldOut
	if w.as("bob").Must("proxy_hold", `{"pattern":"~u /x"}`, &got); got.Released != 0 || len(came) > 0 {
		t.Errorf("bob: got %+v, want nothing released", got)
	}
	w.as("ann")
	if w.Must("proxy_hold", `{"pattern":"~u /other"}`, &got); got.Released != 1 {
		t.Errorf("got %+v, want 1 released", got)
	}
	if body := <-came; body != "POST /order  shoes" {
		t.Errorf("the server got %q, want the request as it was", body)
	}
}

// TestReleaseReportsChangedOnlyIfChanged: only what was changed is called so.
func TestReleaseReportsChangedOnlyIfChanged(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{"listen_host":"localhost"}`, nil)
	w.Must("proxy_hold", `{"pattern":"~u /order"}`, nil)
	for input, changed := range map[string]bool{`}`: false, `,"body":""}`: true, `,"remove_header":["Authorization"]}`: true} {
		came := make(chan error, 1)
		go func() { _, _, err := w.try("POST", "/order", "shoes"); came <- err }()
		var held network.HeldOut
		w.Must("proxy_held", `{"wait_ms":30000}`, &held)
		var got network.ReleasedOut
		if w.Must("proxy_release", `{"flow_id":"`+held.Held[0].ID+`"`+input, &got); got.Changed != changed || got.Count != 1 {
			t.Errorf("%s: got %+v, want changed %v", input, got, changed)
		}
		if err := <-came; err != nil {
			t.Error(err)
		}
	}
}

// TestMockFailsOrAnswersWithHeaders: what is given of a mock is what it does.
func TestMockFailsOrAnswersWithHeaders(t *testing.T) {
	w := newWire(t)
	w.Must("proxy_start", `{}`, nil)
	var made network.MockOut
	w.Must("proxy_mock", `{"pattern":"~u /a","fault":"reset"}`, &made)
	if made.Fault != "reset" {
		t.Errorf("got %+v, want a mock that fails", made)
	}
	w.Must("proxy_mock", `{"pattern":"~u /b","header":["Content-Type=text/x","X-A=b"],"body":"{}"}`, &made)
	if len(made.Fields) != 2 || made.Fields[0].Value != "text/x" || made.Fields[1].Name != "X-A" {
		t.Errorf("got %+v, want the headers that were given", made)
	}
	w.Must("proxy_mock", `{"id":"`+made.ID+`","times":3}`, &made)
	if len(made.Fields) != 2 || made.Times != 3 {
		t.Errorf("got %+v, want the headers of before", made)
	}
}
