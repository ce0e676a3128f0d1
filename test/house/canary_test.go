package house_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/secrets"
	"ios-agent/internal/op"
	"ios-agent/test/agenttalk"
	"ios-agent/test/house"
)

// canaries are secrets that change when they are quoted, cut, encoded or shown.
var canaries = map[string]string{
	"plain": "hunter2-canary", "quotes": `ca"na"ry\back\\slash`, "long": strings.Repeat("canary-", 20), "url": "canary%41 +&?=#<>",
	"digits": "4929731804123456", "letters": "Канарейка-ключ",
}

// full reports whether the attack runs, which takes its time; `go test` tries less.
func full() bool { return os.Getenv("IOS_AGENT_ATTACK_SIZE") == "full" }

// sampled reports whether a sweep over the catalogue takes the operation with this number: all in the attack, every fourth in `go test`,
// and fewer under the race detector, which needs minutes for more.
func sampled(i, short int) bool {
	switch {
	case full():
		return true
	case testing.Short():
		return i%short == 0
	}
	return i%4 == 0
}

// TestSecretsStaySecret types secrets into a field that is not secure, on every surface and by every operation that types, looks
// at the screen before and after it changes again, and searches everything that left the process: answers, progress, streams as
// events and over HTTP, logs, the arguments and environments of programs, transcripts of them, and all files.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	out := &outside{t: t}
	talk := filepath.Join(t.TempDir(), agentwire.TalkFile)
	h := house.New(t, house.Options{
		Log:    slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Record: true, Talk: talk, Programs: out.program,
	})
	udid := h.Boot("a", "com.iosagent.shop")
	dir := secrets.Dir(h.Home.String())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.Must("a", "start_sim_log_cap", in{"bundleId": "com.iosagent.shop", "simulatorId": udid})
	end := out.streams(h)
	typed := canaries
	switch {
	case testing.Short():
		typed = map[string]string{"quotes": canaries["quotes"]}
	case !full():
		typed = map[string]string{"quotes": canaries["quotes"], "long": canaries["long"]}
	}
	for name, value := range typed {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		out.typeEverywhere(h, udid, name)
	}
	looks := h.Files()
	for _, o := range h.Product.Catalogue.Ops() {
		if id := h.Product.Catalogue.ID(o); o.Hints.Has(op.ReadOnly) && !o.Streams() {
			out.say(id, h.Call("a", id, looks.Example(o, id)))
		}
	}
	out.say("doctor", h.Call("a", "xcode_doctor", in{"nonRedacted": true}))
	end()
	h.Restart()
	out.say("after a restart", h.Call("a", "snapshot", in{"udid": udid}))
	out.files(h.Home.String(), dir)
	if n := talked(t, talk, out); n < 20 {
		t.Errorf("only %d frames were kept", n)
	}
	said := string(out.bytes())
	for what, least := range map[string]int{
		"$SECRET:": 10 * len(typed), "event: item": 10 * len(typed), "stream events": len(typed), "progress: ": len(typed),
		"program xcrun": 10, `/transcripts/`: 10, "PATH=": 10,
	} {
		if n := strings.Count(said, what); n < least {
			t.Errorf("%q is there %d times, not %d: is that stream looked at?", what, n, least)
		}
	}
	for name, value := range typed {
		for _, form := range mask.Forms(value) {
			if i := strings.Index(said, form); i >= 0 {
				t.Errorf("%s as %q: …%s…", name, form, said[max(0, i-300):min(len(said), i+len(form)+60)])
			}
		}
	}
}

// typeEverywhere types a secret by every operation that types, on every surface, and looks at what shows it, then and when something
// else is typed over it.
func (o *outside) typeEverywhere(h *house.House, udid, name string) {
	o.t.Helper()
	text := "$SECRET:" + name
	where := in{"identifier": "email-field", "text": text}
	o.say("fill", h.Call("a", "fill", where))
	o.say("wrong", h.Call("a", "fill", in{"identifier": "login-button", "text": text}))
	o.say("snapshot", h.Call("a", "snapshot", nil))
	o.say("over it", h.Call("a", "fill", in{"identifier": "email-field", "text": "something else"})) // its diff has the old value
	o.say("cli", h.CLI("a", "fill", "--identifier", "email-field", text, "--json"))
	o.say("over it, cli", h.CLI("a", "clear", "--identifier", "email-field"))
	o.say("cli text", h.CLI("a", "type", "--identifier", "email-field", text))
	o.say("rest", h.REST("a", http.MethodPost, "/api/v1/ui/fill", where).Body.String())
	tool, err := h.Tool("a", "type_text", where)
	if err != nil {
		o.t.Fatal(err)
	}
	o.say("mcp", tool)
	steps, err := json.Marshal(in{"steps": []string{"clear --identifier email-field", "fill --identifier email-field " + text}})
	if err != nil {
		o.t.Fatal(err)
	}
	caller := op.Local{Catalogue: h.Product.Catalogue, Session: "a", Dir: h.Home.String()}
	o.say("batch", caller.Call(o.t.Context(), "batch", steps, func(e op.Event) { o.say("progress", e) }))
	for _, one := range h.Product.Catalogue.Ops() {
		id := h.Product.Catalogue.ID(one)
		for _, f := range one.Fields() {
			if !f.Private || f.Kind != op.String {
				continue
			}
			input := house.Files{}.Example(one, id)
			own := in{"identifier": "email-field", "elementRef": "e2", "simulatorId": udid, "udid": udid, f.Name: text}
			for key, v := range own {
				if slices.ContainsFunc(one.Fields(), func(f op.Field) bool { return f.Name == key }) {
					input[key] = v
				}
			}
			o.say(id, h.Call("a", id, input))
		}
	}
	o.say("password", h.Call("a", "fill", in{"identifier": "password-field", "text": text}))
	o.say("log in", h.Call("a", "tap_element", in{"identifier": "login-button"})) // the app prints the address
	o.say("later", h.Call("b", "snapshot", in{"udid": udid}))
}

// talked appends what was said with agents, as bytes and in words, and counts the frames.
func talked(t *testing.T, path string, to io.Writer) (frames int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = agenttalk.Read(file, func(s agentwire.Saying) error {
		frames++
		fmt.Fprintf(to, "%s\n%s\n", s.Message, agenttalk.Text(s))
		return agenttalk.Check(s)
	})
	if err != nil {
		t.Error(err)
	}
	return frames
}

// outside is everything that leaves the process. It is used by several goroutines.
type outside struct {
	t *testing.T

	mu sync.Mutex
	b  bytes.Buffer
}

// Write is for the log.
func (o *outside) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *outside) bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.b.Bytes())
}

func (o *outside) say(what string, v any) {
	raw, err := json.Marshal(v)
	if err != nil || bytes.Contains(raw, []byte("UNKNOWN_OPERATION")) {
		o.t.Errorf("%s: %s %v", what, raw, err)
	}
	fmt.Fprintf(o, "%s: %s\n", what, raw)
}

// program tells how a tool is started.
func (o *outside) program(name string, tool host.Main) host.Main {
	if tool == nil {
		return nil
	}
	return func(ctx context.Context, in host.Invocation) int {
		fmt.Fprintf(o, "program %s %q\n", filepath.Base(name), in.Args)
		for variable, value := range in.Env {
			fmt.Fprintf(o, "%s=%s\n", variable, value)
		}
		return tool(ctx, in)
	}
}

// streams watches every stream of the catalogue, in this process and over HTTP, until it is ended.
func (o *outside) streams(h *house.House) (end func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	handler, key := h.HTTP()
	var all sync.WaitGroup
	for _, s := range h.Product.Catalogue.Ops() {
		if !s.Streams() {
			continue
		}
		id := h.Product.Catalogue.ID(s)
		all.Go(func() {
			caller := op.Local{Catalogue: h.Product.Catalogue, Session: "watcher"}
			caller.Stream(ctx, id, nil, func(item json.RawMessage) error { o.say("stream "+id, item); return nil })
		})
		all.Go(func() {
			r := httptest.NewRequestWithContext(ctx, s.Method(), "http://127.0.0.1"+s.Path(), nil)
			r.Header.Set("X-API-Key", key)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			_, _ = o.Write(w.Body.Bytes()) // to memory
		})
	}
	return func() { cancel(); all.Wait() }
}

// files adds what was written below a folder, except in one.
func (o *outside) files(root, except string) {
	o.t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == except {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(o, "%s: %s\n", path, raw)
		return nil
	})
	if err != nil {
		o.t.Fatal(err)
	}
}
