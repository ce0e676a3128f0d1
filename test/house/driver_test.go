package house_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/trust"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/test/house"
	"ios-agent/test/rig"
)

// second is a driver that can be chosen. It shows a screen of its own, so that a test sees who looked.
type otherDriver struct {
	name, usual string
	mu          sync.Mutex
	down        bool
	probes      int
	taps        []string // addresses
	opened      []string // addresses
	closed      int
}

func (s *otherDriver) Spec() device.DriverSpec {
	return device.DriverSpec{Name: s.name, Usual: s.usual, Drives: []string{device.TypeSimulator, device.TypePhysical},
		Server: "a second driver", At: "http://127.0.0.1:8100", Start: "start the second driver"}
}

func (s *otherDriver) Probe(_ context.Context, at string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probes++
	if err := s.reach(at); err != nil {
		return "", err
	}
	return "a second driver at " + at, nil
}

func (s *otherDriver) reach(at string) error {
	if s.down {
		return &device.UnreachableError{Driver: s.Spec(), At: at, Cause: errors.New("connection refused")}
	}
	return nil
}

func (s *otherDriver) Open(info device.Info, at string) device.Device {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, at)
	return &secondPhone{s, info, at}
}

type secondPhone struct {
	driver *otherDriver
	info   device.Info
	at     string
}

func (p *secondPhone) Info() device.Info { return p.info }
func (p *secondPhone) Driver() string    { return p.driver.name }
func (p *secondPhone) Close() error {
	p.driver.mu.Lock()
	defer p.driver.mu.Unlock()
	p.driver.closed++
	return nil
}

func (p *secondPhone) Observe(context.Context, device.Wait) (*ui.Screen, error) {
	p.driver.mu.Lock()
	defer p.driver.mu.Unlock()
	label := "Seen by the second"
	if len(p.driver.taps) > 0 {
		label = "Tapped by the second"
	}
	root := &ui.Node{Type: "Application", Label: "Shop", Frame: ui.Rect{W: 400, H: 800}, Children: []*ui.Node{
		{Type: "Button", Label: label, Identifier: "go", Frame: ui.Rect{X: 10, Y: 100, W: 100, H: 40}},
	}}
	return ui.NewScreen("com.apple.Preferences", "running_foreground", root), p.driver.reach(p.at)
}

func (p *secondPhone) Tap(context.Context, ui.Point) error {
	p.driver.mu.Lock()
	defer p.driver.mu.Unlock()
	p.driver.taps = append(p.driver.taps, p.at)
	return p.driver.reach(p.at)
}
func (p *secondPhone) DoubleTap(ctx context.Context, at ui.Point) error { return p.Tap(ctx, at) }
func (p *secondPhone) LongPress(ctx context.Context, at ui.Point, _ time.Duration) error {
	return p.Tap(ctx, at)
}
func (p *secondPhone) Swipe(ctx context.Context, from, _ ui.Point, _ time.Duration) error {
	return p.Tap(ctx, from)
}

func withSecond(t *testing.T) (*house.House, *otherDriver) {
	t.Helper()
	s := &otherDriver{name: "wda"}
	h := house.New(t, house.Options{Alternates: []pool.Alternate{s}})
	h.Boot("s", "com.apple.Preferences")
	return h, s
}

func seenBy(e op.Envelope) string {
	if strings.Contains(e.Text(), "by the second") {
		return "second"
	}
	return "xctest"
}

// TestCallAndSessionChooseDriver: the call and the session say which driver looks and touches; the others keep the rest. Where nobody says,
// nothing of it is in the answer.
func TestCallAndSessionChooseDriver(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	if e := h.Must("s", "snapshot", nil); seenBy(e) != "xctest" || e.Meta.Device.Driver != "" || e.Meta.Device.DrivenBecause != "" {
		t.Errorf("the usual driver: %+v\n%s", e.Meta.Device, e.Text())
	}
	e := h.Must("s", "snapshot", map[string]string{"driver": "wda"})
	if d := e.Meta.Device; seenBy(e) != "second" || d.Driver != "wda" || d.DrivenBecause != "the call says so" {
		t.Errorf("a call: %+v\n%s", d, e.Text())
	}
	if e := h.Must("s", "snapshot", nil); seenBy(e) != "xctest" {
		t.Errorf("a call chose for later ones:\n%s", e.Text())
	}
	h.Must("s", "session_set_defaults", map[string]string{"driver": "wda", "wdaUrl": "http://127.0.0.1:8200/"})
	e = h.Must("s", "tap_element", map[string]any{"identifier": "go"})
	if d := e.Meta.Device; d.Driver != "wda" || d.DrivenBecause != "the session says so" || len(s.taps) != 1 ||
		s.taps[0] != "http://127.0.0.1:8200" {
		t.Errorf("a session: %+v, taps %q\n%s", d, s.taps, e.Text())
	}
	if s.closed != 1 {
		t.Errorf("what was open at the former address was closed %d times", s.closed)
	}
	h.Must("s", "launch_app", map[string]string{"bundle_id": "com.apple.Preferences"}) // by simctl
	if e := h.Must("s", "snapshot", map[string]string{"driver": "xctest"}); seenBy(e) != "xctest" {
		t.Errorf("the call does not go before the session:\n%s", e.Text())
	}
	if e := h.Must("other", "snapshot", map[string]string{"sim": house.Device}); seenBy(e) != "xctest" {
		t.Errorf("one session chose for another:\n%s", e.Text())
	}
}

// TestProjectFileCannotChooseDriver: a project that somebody cloned chooses neither a driver nor the server of one. Nothing is asked of the
// server, and the answer says how a person names it.
func TestProjectFileCannotChooseDriver(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"defaults":        "sessionDefaults: {driver: wda, wdaUrl: 'http://127.0.0.1:8100'}\n",
		"only an address": "sessionDefaults: {wdaUrl: 'http://127.0.0.1:8100'}\n",
		"a profile": "sessionDefaultsProfiles: {ci: {driver: wda, wdaUrl: 'http://127.0.0.1:8100'}}\n" +
			"activeSessionDefaultsProfile: ci\n",
		"a device": "devices:\n  " + house.Device + ": {driver: wda, wdaUrl: 'http://127.0.0.1:8100'}\n",
	} {
		for _, file := range []string{".ios-agent/config.yaml", ".xcodebuildmcp/config.yaml"} {
			t.Run(name+" in "+file, func(t *testing.T) {
				h, s := withSecond(t)
				path := filepath.Join(h.Home.String(), file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(config), 0o600)); err != nil {
					t.Fatal(err)
				}
				e := h.Must("s", "snapshot", nil)
				if seenBy(e) != "xctest" || e.Meta.Device.Driver != "" {
					t.Errorf("the file chose the driver %q:\n%s", e.Meta.Device.Driver, e.Text())
				}
				said := slices.IndexFunc(e.Meta.Notices, func(n op.Notice) bool {
					return n.Kind == op.Config && strings.Contains(n.Text, path) && strings.Contains(n.Text, "ignored")
				})
				if said < 0 || !strings.Contains(e.Meta.Notices[said].Text, "session-set-defaults --") ||
					!strings.Contains(e.Meta.Notices[said].Text, "IOS_AGENT_") {
					t.Errorf("notices = %+v, want one that says how else to choose a driver", e.Meta.Notices)
				}
				h.Must("s", "doctor", nil)
				if s.probes != 0 || len(s.opened) != 0 {
					t.Errorf("the server was asked: %d probes, opened at %q", s.probes, s.opened)
				}
			})
		}
	}
}

// TestSecretIsTypedOnlyThroughUserNamedServer: a secret is typed through a server that the user named outside of the project and of calls:
// in the environment, or by `ios-agent trust`. It is not typed through one that the call or the session names, nor through one at Appium's
// usual port, which any user of this machine can have taken.
func TestSecretIsTypedOnlyThroughUserNamedServer(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	udid := h.Boot("s", rig.Conformance)
	h.Must("s", "tap_element", in{"label": "Text Input"})
	secret := filepath.Join(h.Home.String(), "secrets", "PW")
	if err := errors.Join(os.MkdirAll(filepath.Dir(secret), 0o700), os.WriteFile(secret, []byte("hunter2!"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	heard := ""
	forget := func() (was string) {
		mu.Lock()
		defer mu.Unlock()
		was, heard = heard, ""
		return was
	}
	agent := virtualxcode.NewWDA(h.World, udid)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		heard += r.URL.Path + " " + string(body) + "\n"
		mu.Unlock()
		agent.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	typed := in{"identifier": "text-username-field", "text": "$SECRET:PW"}
	for name, more := range map[string]in{
		"an address": {"wdaUrl": server.URL}, "a driver and an address": {"driver": "wda", "wdaUrl": server.URL},
		"the usual port": {"driver": "appium"},
	} {
		input := maps.Clone(typed)
		maps.Copy(input, more)
		for _, name := range []string{"fill " + name, "type_text " + name} {
			verb, _, _ := strings.Cut(name, " ")
			e := h.Call("s", verb, input)
			if e.Error == nil || e.Error.Code != fault.Forbidden || !strings.Contains(e.Error.Hint, "session-set-defaults --driver") {
				t.Errorf("%s: got %s, want %s and how else to name the server", name, e.Text(), fault.Forbidden)
			}
		}
	}
	if was := forget(); was != "" {
		t.Fatalf("a call chose the server, which heard\n%s", was)
	}
	const keys = `"h","u","n","t","e","r","2","!"`
	h.Must("s", "session_set_defaults", in{"driver": "wda", "wdaUrl": server.URL})
	for _, verb := range []string{"fill", "type_text"} {
		e := h.Call("s", verb, typed)
		if e.Error == nil || e.Error.Code != fault.Forbidden || !strings.Contains(e.Error.Hint, "`ios-agent trust "+server.URL+"`") ||
			!strings.Contains(e.Error.Hint, "IOS_AGENT_WDA_URL="+server.URL) {
			t.Errorf("%s, named by the session: got %s, want %s and how a person names it", verb, e.Text(), fault.Forbidden)
		}
	}
	if was := forget(); strings.Contains(was, "keys") || strings.Contains(was, `"h"`) {
		t.Errorf("named by the session, it heard\n%s", was)
	}
	h.Must("s", "fill", in{"identifier": "text-username-field", "text": "no secret"})
	if was := forget(); !strings.Contains(was, `"n","o"`) {
		t.Errorf("what is no secret was not typed; it heard\n%s", was)
	}
	if err := trust.In(h.Home.String()).Add(h.Home.String(), time.Now(), server.URL); err != nil {
		t.Fatal(err)
	}
	h.Must("s", "fill", typed)
	if was := forget(); !strings.Contains(was, keys) {
		t.Errorf("named by the session and trusted, it heard\n%s", was)
	}
	if _, err := trust.In(h.Home.String()).Remove(h.Home.String(), server.URL); err != nil {
		t.Fatal(err)
	}
	h.Must("s", "session_clear_defaults", in{"all": true})
	env := map[string]string{"IOS_AGENT_DRIVER": "wda", "IOS_AGENT_WDA_URL": server.URL}
	input, _ := json.Marshal(typed)
	e := h.Product.Catalogue.Run(t.Context(), "fill", op.Call{Session: "s", Env: env}, input)
	if was := forget(); !strings.Contains(was, keys) {
		t.Errorf("named by the environment, it heard\n%s\n%s", was, e.Text())
	}
}

// TestProjectFileChoosesTrustedDriver: with the user's consent, which is kept in the home, the file of that project names its driver and
// its server, and that of another project does not. Another address of the file is another question.
func TestProjectFileChoosesTrustedDriver(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	const at = "http://127.0.0.1:8100"
	write := func(address string) {
		path := filepath.Join(h.Home.String(), ".ios-agent/config.yaml")
		text := "sessionDefaults: {driver: wda, wdaUrl: '" + address + "/'}\n"
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(at)
	if err := trust.In(h.Home.String()).Add(t.TempDir(), time.Now(), "wda", at); err != nil {
		t.Fatal(err)
	}
	e := h.Must("s", "snapshot", nil)
	if seenBy(e) != "xctest" || !strings.Contains(e.Text(), "`ios-agent trust "+at+"`") {
		t.Errorf("got %s, want the usual driver, and how the user allows the other", e.Text())
	}
	if err := trust.In(h.Home.String()).Add(h.Home.String(), time.Now(), "wda", at); err != nil {
		t.Fatal(err)
	}
	e = h.Must("s", "snapshot", nil)
	if seenBy(e) != "second" || !strings.Contains(e.Meta.Device.DrivenBecause, "config.yaml says so") ||
		!strings.Contains(e.Text(), "driven by wda: ") || !slices.Equal(s.opened, []string{at}) {
		t.Errorf("got %s, opened %q, want the driver that the file names, told in the text", e.Text(), s.opened)
	}
	write("http://127.0.0.1:8200")
	h.Must("s", "snapshot", nil)
	if slices.Contains(s.opened, "http://127.0.0.1:8200") {
		t.Errorf("opened %q, want nothing at an address that was not allowed", s.opened)
	}
}

// TestTextNamesUnusualDriverOnce: what is not driven by its usual driver is told in the text, when it begins and when it changes.
func TestTextNamesUnusualDriverOnce(t *testing.T) {
	t.Parallel()
	h, _ := withSecond(t)
	const told = "driven by wda: the session says so"
	if e := h.Must("s", "snapshot", nil); strings.Contains(e.Text(), "driven by") {
		t.Errorf("the usual driver is told:\n%s", e.Text())
	}
	h.Must("s", "session_set_defaults", in{"driver": "wda"})
	for i, want := range []bool{true, false} {
		if e := h.Must("s", "snapshot", nil); strings.Contains(e.Text(), told) != want {
			t.Errorf("answer %d: got\n%s\nwant the driver told: %v", i, e.Text(), want)
		}
	}
	e := h.Must("other", "snapshot", in{"sim": house.Device, "driver": "wda"})
	if !strings.Contains(e.Text(), "driven by wda: the call says so") {
		t.Errorf("the first answer of a session: got\n%s", e.Text())
	}
}

// TestAChosenDriverIsNotReplaced: one that does not answer is named, with the reason and with what else would do; no other one looks or
// touches for it. What does not need its eyes works all the same.
func TestAChosenDriverIsNotReplaced(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	s.down = true
	h.Must("s", "session_set_defaults", map[string]string{"driver": "wda", "wdaUrl": "http://127.0.0.1:8100"})
	for name, in := range map[string]map[string]string{"snapshot": nil, "tap_element": {"identifier": "go"}} {
		e := h.Call("s", name, in)
		if e.Error == nil || e.Error.Code != fault.DriverFailed || e.Error.Dispatched != fault.NotDispatched {
			t.Fatalf("%s: %s", name, e.Text())
		}
		for _, want := range []string{"wda", "http://127.0.0.1:8100", "connection refused"} {
			if !strings.Contains(e.Error.Message, want) {
				t.Errorf("%s: %q is not in %q", name, want, e.Error.Message)
			}
		}
		if !strings.Contains(e.Error.Hint, "--driver xctest") {
			t.Errorf("%s: the hint names no other driver: %s", name, e.Error.Hint)
		}
	}
	h.Must("s", "launch_app", map[string]string{"bundle_id": "com.apple.Preferences"})
	h.Must("s", "shutdown_device", nil)
	h.Must("s", "boot_device", map[string]string{"sim": house.Device})
}

// TestMissingAbilityOfChosenDriverIsFault: an ability of the eyes and fingers that it has not is not borrowed from another driver, whose
// touches would be guarded by what nobody saw. The fault names the one that can.
func TestMissingAbilityOfChosenDriverIsFault(t *testing.T) {
	t.Parallel()
	h, _ := withSecond(t)
	h.Must("s", "session_set_defaults", map[string]string{"driver": "wda"})
	e := h.Call("s", "press_key", map[string]string{"key": "return"})
	if e.Error == nil || e.Error.Code != fault.Unsupported || !strings.Contains(e.Error.Hint, "--driver xctest") {
		t.Errorf("%s", e.Text())
	}
}

// TestInvalidDriverChoiceIsRefused: what is no driver, and one that does not drive this kind of device.
func TestInvalidDriverChoiceIsRefused(t *testing.T) {
	t.Parallel()
	h, _ := withSecond(t)
	for driver, want := range map[string]fault.Code{"axe": fault.InvalidInput, "devicectl": fault.DriverFailed} {
		e := h.Call("s", "snapshot", map[string]string{"driver": driver})
		if e.Error == nil || e.Error.Code != want || !strings.Contains(e.Error.Message+e.Error.Hint, "xctest") {
			t.Errorf("%s: %s", driver, e.Text())
		}
	}
}

// TestRemoteDriverServerNeedsVariable: what is typed goes to another machine only when the environment of the client names it. A model
// cannot, and a command line, which an agent may run without a question, cannot either.
func TestRemoteDriverServerNeedsVariable(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	in := []byte(`{"identifier":"go","driver":"wda","wdaUrl":"http://192.0.2.7:8100"}`)
	for _, client := range []string{"claude-code", op.CLI} {
		e := h.Product.Catalogue.Run(t.Context(), "tap_element", op.Call{Session: "s", Client: client, Dir: h.Home.String()}, in)
		if e.Error == nil || e.Error.Code != fault.Forbidden || !strings.Contains(e.Error.Hint, "IOS_AGENT_WDA_URL") || len(s.taps) > 0 {
			t.Errorf("%s: %s", client, e.Text())
		}
	}
	h.Must("s", "session_set_defaults", map[string]string{"driver": "wda", "wdaUrl": "http://192.0.2.7:8100"})
	if e := h.Call("s", "snapshot", nil); e.Error == nil || e.Error.Code != fault.Forbidden {
		t.Errorf("by the session: %s", e.Text())
	}
	h.Must("s", "session_clear_defaults", map[string]bool{"all": true})
	env := map[string]string{"IOS_AGENT_DRIVER": "wda", "IOS_AGENT_WDA_URL": "http://192.0.2.7:8100/"}
	e := h.Product.Catalogue.Run(t.Context(), "snapshot", op.Call{Session: "t", Env: env}, []byte(`{"sim":"`+house.Device+`"}`))
	if e.Error != nil || seenBy(e) != "second" || e.Meta.Device.DrivenBecause != "IOS_AGENT_DRIVER says so" {
		t.Errorf("%s", e.Text())
	}
}

// TestUnreadableDeviceUsesNamedServer: a device whose usual driver has no eyes is looked at through a server that somebody named and that
// answers, and the answer says why. One that does not answer is told of, once; nothing poses as it.
func TestUnreadableDeviceUsesNamedServer(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	var udid string
	for _, d := range house.Result[struct {
		Devices []device.Info `json:"devices"`
	}](h, h.Must("s", "list_devices", map[string]string{"type": "device"})).Devices {
		if d.Available {
			udid = d.UDID
		}
	}
	if udid == "" {
		t.Fatal("no physical device can be used")
	}
	in := map[string]string{"udid": udid}
	if e := h.Call("s", "snapshot", in); e.Error == nil || e.Error.Code != fault.AgentNotRunning ||
		!strings.Contains(e.Error.Hint, "agent start") {
		t.Errorf("nobody named a server: %s", e.Text())
	}
	h.Must("s", "session_set_defaults", map[string]string{"wdaUrl": "http://127.0.0.1:8100"})
	e := h.Must("s", "snapshot", in)
	d := e.Meta.Device
	if seenBy(e) != "second" || d.Driver != "wda" ||
		d.DrivenBecause != "xctest cannot read the screen now, and wda answers at http://127.0.0.1:8100" {
		t.Errorf("%+v\n%s", d, e.Text())
	}
	h.Must("s", "snapshot", in)
	if s.probes != 1 {
		t.Errorf("it was probed %d times", s.probes)
	}
	if e := h.Must("s", "snapshot", nil); seenBy(e) != "xctest" {
		t.Errorf("a simulator is driven by what it needs not:\n%s", e.Text())
	}
	s.down = true
	h.Must("s", "session_set_defaults", map[string]string{"wdaUrl": "http://127.0.0.1:8200"})
	e = h.Call("s", "snapshot", in)
	if e.Error == nil || e.Error.Code != fault.AgentNotRunning || !strings.Contains(e.Text(), "cannot be driven by wda") ||
		!strings.Contains(e.Text(), "connection refused") {
		t.Errorf("%s", e.Text())
	}
}

// TestDoctorReportsDriverAndServers: which driver drives and why, and how the servers are.
func TestDoctorReportsDriverAndServers(t *testing.T) {
	t.Parallel()
	h, s := withSecond(t)
	checks := func() map[string]check {
		all := map[string]check{}
		for _, c := range house.Result[struct{ Checks []check }](h, h.Must("s", "doctor", nil)).Checks {
			all[c.Name] = c
		}
		return all
	}
	if c := checks(); c["driver"].Message != house.Device+": xctest, the usual one" || c["wda"].Status != "off" ||
		!strings.Contains(c["wda"].Message, "not set up") || s.probes != 0 {
		t.Errorf("%+v", c)
	}
	h.Must("s", "session_set_defaults", map[string]string{"driver": "wda", "wdaUrl": "http://127.0.0.1:8100"})
	if c := checks(); c["driver"].Message != house.Device+": wda; the session says so" || c["wda"].Status != "ok" ||
		!strings.Contains(c["wda"].Message, "a second driver at http://127.0.0.1:8100") {
		t.Errorf("%+v", c)
	}
	s.down = true
	if c := checks(); c["wda"].Status != "fail" || !strings.Contains(c["wda"].Message, "connection refused") {
		t.Errorf("%+v", c)
	}
}

type check struct{ Name, Status, Message, Hint string }
