package house_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/freeport"
	"ios-agent/test/house"
)

// release is a house whose product runs over what an earlier release left.
type release struct {
	*house.House
	t    *testing.T
	told map[string][]byte // what the release itself answered, by the names of testdata/lastrelease/capture
	log  lockedBuffer
}

// lockedBuffer is a log that several write.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// openRelease unpacks a home into an empty house, a minute after its daemon was killed.
func openRelease(t *testing.T, archive string) *release {
	t.Helper()
	r := &release{t: t, told: map[string][]byte{}}
	left := map[string][]byte{} // by their paths in the home
	port := strconv.Itoa(freeport.Of(t))
	for name, content := range unpacked(t, archive) {
		folder, rest, _ := strings.Cut(name, "/")
		switch folder {
		case "told":
			r.told[strings.TrimSuffix(rest, ".json")] = content
		case "project":
			left[filepath.Join(".ios-agent", rest)] = content // a house's callers work in its home
		case "home":
			if rest == "proxy/running.json" {
				content = bytes.Replace(content, []byte("29191"), []byte(port), 1)
			}
			left[rest] = content
		}
	}
	killed, err := time.Parse(time.RFC3339, strings.TrimSpace(string(r.told["when"])))
	r.must(err)
	passed := time.Minute - time.Since(killed)
	r.House = house.New(t, house.Options{
		Now: func() time.Time { return time.Now().Add(passed) },
		Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	})
	r.RestartAfter(func() {
		r.log.Reset() // of the empty home
		for name := range left {
			path := filepath.Join(r.Home.String(), name)
			r.must(os.MkdirAll(filepath.Dir(path), 0o700))
			for _, stale := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + stale); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
		for name, content := range left {
			r.must(os.WriteFile(filepath.Join(r.Home.String(), name), content, 0o600))
		}
	})
	return r
}

func (r *release) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// unpacked are the files of a .tar.gz.
func unpacked(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for packed := tar.NewReader(plain); ; {
		h, err := packed.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if all[h.Name], err = io.ReadAll(packed); err != nil {
			t.Fatal(err)
		}
	}
}

// keeps wants all that the release told to be told again: every key with its value, every item of a list, in its order. There may be
// more of both. changes are keys that need not be the same.
func (r *release) keeps(told string, e op.Envelope, changes ...string) {
	r.t.Helper()
	if e.Error != nil {
		r.t.Errorf("%s: got %s, want what the release told: %s", told, e.Text(), r.told[told])
		return
	}
	var before, now any
	r.must(json.Unmarshal(r.told[told], &before))
	r.must(json.Unmarshal(e.Result, &now))
	for _, lost := range lost("", before, now, changes) {
		r.t.Errorf("%s%s", told, lost)
	}
}

// lost says what of one value is not in another.
func lost(at string, before, now any, changes []string) (all []string) {
	switch before := before.(type) {
	case map[string]any:
		has, _ := now.(map[string]any)
		for key, value := range before {
			if !slices.Contains(changes, key) {
				all = append(all, lost(at+"."+key, value, has[key], changes)...)
			}
		}
	case []any:
		has, _ := now.([]any)
		for i, value := range before {
			var nearest []string
			for {
				if len(has) == 0 {
					all = append(all, append(nearest, fmt.Sprintf("%s[%d]: got nothing, want %v", at, i, value))[0])
					break
				}
				differs := lost(fmt.Sprintf("%s[%d]", at, i), value, has[0], changes)
				if has = has[1:]; len(differs) == 0 {
					break
				}
				if nearest == nil || len(differs) < len(nearest) {
					nearest = differs
				}
			}
		}
	default:
		if !reflect.DeepEqual(before, now) {
			all = append(all, fmt.Sprintf("%s: got %v, want %v", at, now, before))
		}
	}
	return all
}

// TestUpdateKeepsHomeOfLastRelease: an update keeps claims, refs, chosen devices, defaults, logs, crashes, builds, requests, mocks, the
// proxy and its certificate as the release before left them when its daemon was killed.
func TestUpdateKeepsHomeOfLastRelease(t *testing.T) {
	t.Parallel()
	r := openRelease(t, filepath.Join("testdata", "lastrelease", "home.tar.gz"))
	t.Run("claims", r.claims)
	t.Run("refs", r.refs)
	t.Run("sessions", r.sessions)
	t.Run("what was said", r.said)
	t.Run("proxy", r.proxy)
	for line := range strings.Lines(r.log.String()) {
		if strings.Contains(line, "panic") || strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			t.Errorf("the log has %s, want nothing to warn of", line)
		}
	}
}

// claims: each has its holder and its epoch, epochs go on above them, others are kept away, and a repeat of a claim gets what that got.
func (r *release) claims(t *testing.T) {
	r.t = t
	r.keeps("pool", r.Call("eve", "list_device_pool", nil), "state", "expires_at", "last_used", "claimed_client")
	r.keeps("log", r.Call("eve", "device_claim_log", nil))
	var told struct {
		Devices []struct {
			UDID, ClaimedBy string `json:",omitempty"`
			Epoch           uint64
		}
	}
	r.must(json.Unmarshal(r.told["pool"], &told))
	var highest uint64
	for _, d := range told.Devices {
		highest = max(highest, d.Epoch)
	}
	var first claimed
	r.must(json.Unmarshal(r.told["claim"], &first))
	again := claim(t, r.House, "gus", "claim of gus", "claim", `{"name":"iPhone 16 Pro Max"}`)
	if again.Device != first.Device || first.Device.Epoch == 0 || again.Error.Code != "" {
		t.Errorf("the repeat of a claim: got %+v, want %+v", again, first.Device)
	}
	next := house.Result[struct{ Device struct{ Epoch uint64 } }](r.House,
		r.Must("hal", "claim_device", map[string]string{"name": "iPhone 14"})).Device
	if next.Epoch <= highest {
		t.Errorf("the next claim: got epoch %d, want one above %d", next.Epoch, highest)
	}
	e := r.Call("hal", "terminate_app", map[string]string{"sim": "iPhone 16", "bundle_id": "com.iosagent.shop"})
	if e.Error == nil || e.Error.Code != fault.DeviceClaimed || e.Error.Details["holder"] != "ada" {
		t.Errorf("another session: got %s, want %s by ada", e.Text(), fault.DeviceClaimed)
	}
}

// refs of the release mean nothing now, and no new ref is one of them.
func (r *release) refs(t *testing.T) {
	r.t = t
	var told struct{ Elements []struct{ Ref string } }
	r.must(json.Unmarshal(r.told["snapshot"], &told))
	r.Boot("ada", "com.iosagent.shop")
	old := map[string]bool{}
	for _, e := range told.Elements {
		old[e.Ref] = true
		tap := r.Call("ada", "tap_element", map[string]string{"ref": e.Ref})
		if tap.Error == nil || tap.Error.Code != fault.RefExpired {
			t.Errorf("tap %s: got %s, want %s", e.Ref, tap.Text(), fault.RefExpired)
		}
	}
	now := house.Result[struct{ Elements []struct{ Ref string } }](r.House, r.Must("ada", "snapshot", map[string]bool{"full": true}))
	if len(old) == 0 || len(now.Elements) == 0 {
		t.Fatalf("got %d refs of before and %d of now, want some", len(old), len(now.Elements))
	}
	for _, e := range now.Elements {
		if old[e.Ref] {
			t.Errorf("got %s for another element, want a new ref", e.Ref)
		}
	}
}

// sessions have the devices that they chose, and the defaults that they kept.
func (r *release) sessions(t *testing.T) {
	r.t = t
	for _, name := range []string{"ada", "bob", "cyd", "fay"} {
		r.keeps("status-"+name, r.Call(name, "status", nil),
			"pid", "server_url", "started_at", "state", "expires_at", "app", "booted_devices")
	}
	text := r.Must("ada", "session_show_defaults", nil).Text()
	for _, want := range []string{"scheme: Shop ", "simulatorName: iPhone 16 ", "profiles: (default), ci"} {
		if !strings.Contains(text, want) {
			t.Errorf("the defaults: got %s, want %q", text, want)
		}
	}
	if got := r.Secrets.Text("hunter22"); got == "hunter22" {
		t.Errorf("the secret of the home: got %q, want it hidden", got)
	}
}

// said: log lines, crashes, the program for them, and builds are there.
func (r *release) said(t *testing.T) {
	r.t = t
	r.keeps("logs", r.Call("ada", "read_logs", map[string]any{"all": true, "limit": 200}), "log_sources", "total", "cursor")
	r.keeps("crashes", r.Call("bob", "list_crashes", nil))
	r.keeps("crash", r.Call("bob", "show_crash", nil))
	r.keeps("hook", r.Call("bob", "show_crash_hook", nil))
	r.keeps("builds", r.Call("ada", "list_builds", nil))
	r.keeps("build", r.Call("ada", "show_build", map[string]string{"id": "latest"}))
}

// proxy: it runs again with its rules, requests of before are shown, and it vouches with the key that apps trust.
func (r *release) proxy(t *testing.T) {
	r.t = t
	r.Must("ada", "proxy_release_all", nil) // waits until it runs
	r.keeps("proxy", r.Call("ada", "proxy_status", nil), "port")
	r.keeps("mocks", r.Call("ada", "proxy_mocks", nil), "hits")
	r.keeps("flows", r.Call("ada", "list_flows", nil))
	r.keeps("flow", r.Call("ada", "show_flow", nil))
	r.keeps("cert", r.Call("ada", "proxy_cert", nil), "path")
	var cert struct{ PEM string }
	r.must(json.Unmarshal(r.told["cert"], &cert))
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(cert.PEM))
	at := house.Result[struct{ Port int }](r.House, r.Must("ada", "proxy_status", nil)).Port
	transport := &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted},
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(at))}),
	}
	request, err := http.NewRequestWithContext(t.Context(), "POST", "https://api.shop.test/orders", strings.NewReader("{}"))
	r.must(err)
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatalf("got %v, want an answer under the certificate of before", err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 201 || string(text) != `{"id":7}` {
		t.Errorf("got %d %s %v, want the mock of before", answer.StatusCode, text, err)
	}
}
