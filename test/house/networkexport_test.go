package house_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/fault"
)

// exports: a file has no secrets unless they are asked for; a HAR is one by its schema, and is read back; a command has the request.
// The flow is POST /broken/order, after GET /products.
func (w *wire) exports(id string) {
	t := w.t
	t.Helper()
	dir := t.TempDir()
	write := func(name string, input map[string]any, says ...string) []byte {
		t.Helper()
		input["out"] = filepath.Join(dir, name)
		w.says(w.Must("a", "export_flows", input), says...)
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		return data
	}
	secrets := func(data []byte, want bool) {
		t.Helper()
		for _, secret := range []string{"geheim-0815", "hunter2"} {
			if strings.Contains(string(data), secret) != want {
				t.Errorf("%s is in it: %v\n%s", secret, !want, data)
			}
		}
	}

	har := write("all.har", map[string]any{}, "wrote 2 requests to ")
	secrets(har, false)
	isHAR(w, har)
	var read struct {
		Log struct {
			Entries []struct {
				Request struct {
					Method   string
					PostData struct{ Text string }
				}
				Response struct{ Status int }
				Flow     struct{ ID string } `json:"_flow"`
			}
		}
	}
	err := json.Unmarshal(har, &read)
	if flows := read.Log.Entries; err != nil || len(flows) != 2 || flows[0].Request.Method != "GET" || flows[1].Flow.ID != id ||
		flows[1].Response.Status != 500 || !strings.Contains(flows[1].Request.PostData.Text, `"amount":1`) {
		t.Errorf("read %v %+v, want a GET, then %s answered with 500", err, flows, id)
	}
	w.refused(fault.PathError, "export_flows", map[string]any{"out": filepath.Join(dir, "all.har")})
	har = write("all.har", map[string]any{"force": true, "reveal": true}, "it contains secrets: do not share it")
	secrets(har, true)
	isHAR(w, har)
	har = write("one.har", map[string]any{"limit": 1, "hide": []string{"amount"}}, "wrote 1 request ", "the newest of 2")
	if strings.Contains(string(har), `amount\":1`) || !strings.Contains(string(har), "/broken/order") {
		t.Errorf("%s", har)
	}
	isHAR(w, write("none.har", map[string]any{"host": "nobody.example"}, "wrote 0 requests"))

	// One request as a command, and its bodies.
	w.refused(fault.InvalidInput, "export_flows", map[string]any{"out": filepath.Join(dir, "x"), "format": "curl"})
	w.refused(fault.FlowNotFound, "export_flows", map[string]any{"out": filepath.Join(dir, "x"), "format": "curl", "flow": "f_000000000000"})
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("what was refused left a file")
	}
	command := write("a.sh", map[string]any{"format": "curl", "flow": id})
	secrets(command, false)
	secrets(write("b.sh", map[string]any{"format": "curl", "flow": id, "reveal": true}), true)
	shown := w.Must("a", "show_flow", map[string]any{"flow_id": id, "curl": true})
	w.says(shown, strings.TrimSpace(string(command)))
	if !bytes.HasPrefix(command, []byte("curl --http1.1 ")) || !strings.Contains(string(command), w.server.URL+"/broken/order") {
		t.Errorf("%s", command)
	}
	if got := write("q.json", map[string]any{"format": "request", "flow": id}); string(got) != `{"amount":1,"password":"<secret>"}` {
		t.Errorf("%s", got)
	}
	got := write("r.json", map[string]any{"format": "request", "flow": id, "reveal": true})
	if string(got) != `{"amount":1,"password":"hunter2"}` {
		t.Errorf("%s", got)
	}
	if got := write("s.txt", map[string]any{"format": "response", "flow": id}); string(got) != `POST /broken/order ""` {
		t.Errorf("%s", got)
	}
}

// isHAR holds a file against the schema of HAR 1.2.
func isHAR(w *wire, data []byte) {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.FromSlash("../../internal/network/flow/testdata/har-1.2.schema.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	var schema jsonschema.Schema
	var doc any
	if err := json.Unmarshal(raw, &schema); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		w.t.Errorf("%v: %s", err, data)
		return
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := resolved.Validate(doc); err != nil {
		w.t.Errorf("%v: %s", err, data)
	}
}
