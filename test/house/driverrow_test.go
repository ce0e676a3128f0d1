package house_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// withPretended is a house whose table of drivers has one row more.
func withPretended(t *testing.T) (*house.House, *otherDriver) {
	t.Helper()
	s := &otherDriver{name: "pretended"}
	h := house.New(t, house.Options{Alternates: []pool.Alternate{s}})
	h.Boot("s", "com.apple.Preferences")
	return h, s
}

// wantSaid fails unless a text has all these parts.
func wantSaid(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got\n%s\nwant %q in it", what, text, part)
		}
	}
}

func TestNewDriverRowConfiguresAndDrives(t *testing.T) {
	t.Parallel()
	h, s := withPretended(t)
	const at = "http://127.0.0.1:8100"
	wantSaid(t, "the doctor before it is set up", h.Must("s", "doctor", nil).Text(),
		"pretended  not set up", "`ios-agent session-set-defaults --driver pretended --pretended-url URL` sets it up")
	shown := h.Must("s", "session_set_defaults", in{"driver": "pretended", "pretendedUrl": at + "/"})
	wantSaid(t, "the session's defaults", shown.Text(), "driver: pretended (session", "pretendedUrl: "+at+" (session")
	if e := h.Must("s", "snapshot", nil); seenBy(e) != "second" || e.Meta.Device.Driver != "pretended" {
		t.Errorf("got the driver %q and\n%s\nwant the screen that the driver of the row shows", e.Meta.Device.Driver, e.Text())
	}
	wantSaid(t, "the doctor", h.Must("s", "doctor", nil).Text(), "iPhone 16: pretended; the session says so", "a second driver at "+at)
	s.down = true
	e := h.Call("s", "snapshot", nil)
	if e.Error == nil || e.Error.Code != fault.DriverFailed {
		t.Fatalf("got %s, want %s", e.Text(), fault.DriverFailed)
	}
	wantSaid(t, "the fault of a server that does not answer", e.Error.Hint,
		"start the second driver and set its address: `ios-agent session-set-defaults --pretended-url http://127.0.0.1:8100`")
}

func TestCallAndVariableChooseNewDriverRow(t *testing.T) {
	t.Parallel()
	h, _ := withPretended(t)
	if e := h.Must("s", "snapshot", in{"driver": "pretended"}); seenBy(e) != "second" {
		t.Errorf("the call: got\n%s\nwant the screen that the driver of the row shows", e.Text())
	}
	env := map[string]string{"IOS_AGENT_DRIVER": "pretended", "IOS_AGENT_PRETENDED_URL": "http://192.0.2.7:8100"}
	call := op.Call{Session: "s", Dir: h.Home.String(), Env: env}
	if e := h.Product.Catalogue.Run(t.Context(), "snapshot", call, []byte("{}")); seenBy(e) != "second" {
		t.Errorf("the environment: got\n%s\nwant the screen that the driver of the row shows", e.Text())
	}
	snapshot, err := h.Product.Catalogue.Lookup("snapshot")
	if err != nil {
		t.Fatal(err)
	}
	flag := func(s op.Short) bool {
		return s.Flag == "pretended-url" && s.Default == "pretendedUrl" && s.Elsewhere != ""
	}
	if !slices.ContainsFunc(snapshot.Shorts(), flag) {
		t.Errorf("got the flags %+v, want --pretended-url", snapshot.Shorts())
	}
}

func TestFaultsOfferDriverOfNewRow(t *testing.T) {
	t.Parallel()
	h, _ := withPretended(t)
	e := h.Call("s", "snapshot", in{"driver": "nobody"})
	if e.Error == nil || e.Error.Code != fault.InvalidInput {
		t.Fatalf("got %s, want %s", e.Text(), fault.InvalidInput)
	}
	wantSaid(t, "a driver that is none", e.Error.Message, "expected one of xctest, wda, appium, idb, devicectl, pretended")
	e = h.Call("s", "snapshot", in{"driver": "devicectl"})
	if e.Error == nil || e.Error.Code != fault.DriverFailed {
		t.Fatalf("got %s, want %s", e.Text(), fault.DriverFailed)
	}
	wantSaid(t, "a driver of other devices", e.Error.Hint, "can be driven by xctest, wda, appium, idb, pretended")
	file := filepath.Join(h.Home.String(), ".ios-agent", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("sessionDefaults: {pretendedUrl: 'http://127.0.0.1:8100'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantSaid(t, "an address in a project's file", h.Must("s", "doctor", nil).Text(),
		"pretendedUrl is ignored: a project's file cannot choose what drives a device", "IOS_AGENT_PRETENDED_URL")
}

func TestEveryDriverIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/drivers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range product.Drivers() {
		wantSaid(t, "docs/drivers.md", string(text), "| `"+d.Name+"` |")
		if d.Server != "" {
			wantSaid(t, "docs/drivers.md", string(text), "`--"+d.URLFlag()+"`", "`IOS_AGENT_"+strings.ToUpper(d.Name)+"_URL`")
		}
	}
}
