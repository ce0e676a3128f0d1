package house_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/op"
	"ios-agent/internal/ops"
	"ios-agent/test/house"
)

// canaries are secrets that change when they are quoted, cut, encoded or shown.
var canaries = map[string]string{
	"plain": "hunter2-canary", "quotes": `ca"na"ry\back\\slash`, "long": strings.Repeat("canary-", 20), "url": "canary%41 +&?=#<>",
	"digits": "4929731804123456", "letters": "Канарейка-ключ",
}

// TestSecretsStaySecret types secrets into a field that is not secure, on every surface and by every operation that types, looks
// at the screen afterwards, and searches everything that left the process.
func TestSecretsStaySecret(t *testing.T) {
	log := &buffer{}
	talk := filepath.Join(t.TempDir(), agentwire.TalkFile)
	h := house.New(t, house.Options{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), Talk: talk})
	udid := h.Boot("a", "com.iosagent.shop")
	dir := ops.SecretsDir(h.Home.String())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h.Must("a", "start_sim_log_cap", in{"bundleId": "com.iosagent.shop", "simulatorId": udid})
	var said bytes.Buffer
	say := func(what string, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte("UNKNOWN_OPERATION")) {
			t.Fatalf("%s: %s", what, raw)
		}
		fmt.Fprintf(&said, "%s: %s\n", what, raw)
	}
	for name, value := range canaries {
		if testing.Short() && name != "quotes" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
		typeEverywhere(t, h, udid, name, say)
	}
	looks := h.Files()
	for _, o := range h.Product.Catalogue.Ops() {
		if id := h.Product.Catalogue.ID(o); o.Hints.Has(op.ReadOnly) && !o.Streams() {
			say(id, h.Call("a", id, looks.Example(o, id)))
		}
	}
	say("doctor", h.Call("a", "xcode_doctor", in{"nonRedacted": true}))
	h.Restart()
	say("after a restart", h.Call("a", "snapshot", in{"udid": udid}))
	said.Write(log.bytes())
	files(t, h.Home.String(), dir, &said)
	if n := talked(t, talk, &said); n < 20 {
		t.Errorf("only %d frames were kept", n)
	}
	if n := strings.Count(said.String(), "$SECRET:"); n < 10 {
		t.Errorf("only %d secrets were shown by name; did anything type?", n)
	}
	for name, value := range canaries {
		for _, form := range mask.Forms(value) {
			if i := strings.Index(said.String(), form); i >= 0 {
				t.Errorf("%s as %q: …%s…", name, form, said.String()[max(0, i-300):min(said.Len(), i+len(form)+60)])
			}
		}
	}
}

// typeEverywhere types a secret by every operation that types, on every surface, and looks at what shows it.
func typeEverywhere(t *testing.T, h *house.House, udid, name string, say func(string, any)) {
	t.Helper()
	text := "$SECRET:" + name
	where := in{"identifier": "email-field", "text": text}
	say("fill", h.Call("a", "fill", where))
	say("wrong", h.Call("a", "fill", in{"identifier": "login-button", "text": text}))
	say("snapshot", h.Call("a", "snapshot", nil))
	say("cli", h.CLI("a", "fill", "--identifier", "email-field", text, "--json"))
	say("cli text", h.CLI("a", "type", "--identifier", "email-field", text))
	say("rest", h.REST("a", http.MethodPost, "/api/v1/ui/fill", where).Body.String())
	tool, err := h.Tool("a", "type_text", where)
	if err != nil {
		t.Fatal(err)
	}
	say("mcp", tool)
	say("batch", h.Call("a", "batch", in{"steps": []string{"clear --identifier email-field", "fill --identifier email-field " + text}}))
	say("quern", h.Call("a", "quern_type_text", in{"text": text, "udid": udid}))
	say("xcode", h.Call("a", "xcode_type_text", in{"elementRef": "e2", "text": text, "replaceExisting": true, "simulatorId": udid}))
	say("password", h.Call("a", "fill", in{"identifier": "password-field", "text": text}))
	say("log in", h.Call("a", "tap_element", in{"identifier": "login-button"})) // the app prints the address
	say("later", h.Call("b", "snapshot", in{"udid": udid}))
}

// talked appends what was said with agents, as bytes and in words, and counts the frames.
func talked(t *testing.T, path string, to *bytes.Buffer) (frames int) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = agentwire.ReadTalk(file, func(s agentwire.Saying) error {
		frames++
		fmt.Fprintf(to, "%s\n%s\n", s.Message, s.Text())
		return s.Check()
	})
	if err != nil {
		t.Error(err)
	}
	return frames
}

// files appends what was written below a folder, except in one.
func files(t *testing.T, root, except string, to *bytes.Buffer) {
	t.Helper()
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
		fmt.Fprintf(to, "%s: %s\n", path, raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.b.Bytes())
}
