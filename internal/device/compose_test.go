package device_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
)

// part is a device as one driver opens it.
type part struct {
	info   device.Info
	driver string
	closed *[]string
}

func (p part) Info() device.Info { return p.info }
func (p part) Driver() string    { return p.driver }
func (p part) Close() error {
	*p.closed = append(*p.closed, p.driver)
	return errors.New(p.driver + " does not close")
}

// camera is a part that takes pictures.
type camera struct{ part }

func (c camera) Screenshot(context.Context) ([]byte, error) { return []byte(c.driver), nil }

// switches is a part with power.
type switches struct{ part }

func (switches) Boot(context.Context) error     { return nil }
func (switches) Shutdown(context.Context) error { return nil }

func TestComposeMergesPartsOfDevice(t *testing.T) {
	var closed []string
	known := device.Info{UDID: "00008110-A", Name: "Kim's iPhone", Type: device.TypePhysical, Aliases: []string{"CORE-1"}}
	more := device.Info{UDID: "00008110-a", Name: "another name", OS: "iOS 18.2", State: device.Booted, Available: true}
	more.Aliases = []string{"core-1", "SERIAL"}
	d := device.Compose(switches{part{known, "one", &closed}}, camera{part{more, "two", &closed}}, camera{part{more, "three", &closed}})
	if pictures, err := device.As[device.Camera](d); err != nil {
		t.Error(err)
	} else if who, _ := pictures.Screenshot(t.Context()); string(who) != "two" {
		t.Errorf("the first part that has an ability gives it, not %s", who)
	}
	if _, ok := device.Has[device.Power](d); !ok {
		t.Error("no power")
	}
	info := d.Info()
	if info.UDID != "00008110-A" || info.Name != "Kim's iPhone" || info.OS != "iOS 18.2" || info.State != device.Booted || !info.Available {
		t.Errorf("%+v", info)
	}
	if !slices.Equal(info.Aliases, []string{"CORE-1", "SERIAL"}) {
		t.Error(info.Aliases)
	}
	for id, want := range map[string]bool{"00008110-a": true, "core-1": true, "SERIAL": true, "Kim's iPhone": false, "": false} {
		if info.Is(id) != want {
			t.Errorf("%q is it: %v", id, !want)
		}
	}
	if d.Driver() != "one, two, three" {
		t.Error(d.Driver())
	}
	if err := d.Close(); err == nil || !slices.Equal(closed, []string{"one", "two", "three"}) {
		t.Error(err, closed)
	}
}

// TestMissingAbilityFaultNamesDeviceAndHint: the fault names the device, what is missing in plain words, and what can do it.
func TestMissingAbilityFaultNamesDeviceAndHint(t *testing.T) {
	phone := part{info: device.Info{UDID: "00008110-A", Name: "Kim's iPhone", Type: device.TypePhysical}, driver: "devicectl"}
	for _, d := range []device.Device{phone, device.Compose(phone)} {
		_, err := device.As[device.Eyes](d)
		f := fault.From(err)
		if f.Code != fault.Unsupported || f.Message != "Kim's iPhone (00008110-A) is driven by devicectl, which cannot look at the screen" {
			t.Errorf("%s: %s", f.Code, f.Message)
		}
		if !strings.Contains(f.Hint, "a simulator can") {
			t.Error(f.Hint)
		}
	}
}

func TestMissingScreenReadingSuggestsMatchingDriver(t *testing.T) {
	phone := part{info: device.Info{UDID: "00008110-A", Name: "Kim's iPhone", Type: device.TypePhysical}, driver: "devicectl"}
	d := device.ComposeFor([]device.DriverSpec{
		{Name: "near", Server: "Near", Drives: []string{device.TypeSimulator}},
		{Name: "far", Server: "Far", Drives: []string{device.TypePhysical}},
	}, phone)
	_, err := device.As[device.Eyes](d)
	want := hint.Do("doctor", "device", "00008110-A") + " shows which setup steps are missing; Far may: " +
		hint.Do("session_set_defaults", "driver", "far", "farUrl", "URL") + "; a simulator can: " +
		hint.Do("list_devices", "type", "simulator") + " lists them"
	if got := fault.From(err).Hint; got != want {
		t.Errorf("got the hint %q, want %q", got, want)
	}
	_, err = device.As[device.Power](d)
	if got := fault.From(err).Hint; strings.Contains(got, "far") {
		t.Errorf("got the hint %q, want no driver: it only looks and touches", got)
	}
}

// TestEveryAbilityHasPlainWords: every interface of this package that a device may have is said in words, not by its name.
func TestEveryAbilityHasPlainWords(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			noAbility := []string{"Driver", "Device", "AgentBuilder", "Stream", "Clock"}
			if _, is := spec.Type.(*ast.InterfaceType); !is || slices.Contains(noAbility, spec.Name.Name) {
				return true
			}
			if seen++; device.AbilityWords(spec.Name.Name) == "" {
				t.Errorf("compose.go does not say what %s is, for the fault that it is missing", spec.Name.Name)
			}
			return true
		})
	}
	if seen < 20 {
		t.Errorf("only %d abilities were found", seen)
	}
}

// toucher touches the screen.
type toucher struct {
	part
	device.Touch
}

// guard touches the screen and checks what it touches.
type guard struct{ toucher }

func (guard) GuardsInputs() {}

// TestGuardsDependsOnTouchingPart: only the part that touches the screen can guard a touch.
func TestGuardsDependsOnTouchingPart(t *testing.T) {
	var closed []string
	one, two := toucher{part: part{driver: "one", closed: &closed}}, guard{toucher{part: part{driver: "two", closed: &closed}}}
	for name, c := range map[string]struct {
		d    device.Device
		want bool
	}{
		"alone":            {two, true},
		"unguarded":        {one, false},
		"first":            {device.Compose(two, one), true},
		"second":           {device.Compose(one, two), false},
		"after no fingers": {device.Compose(camera{part{driver: "eye", closed: &closed}}, two), true},
		"no fingers":       {device.Compose(camera{part{driver: "eye", closed: &closed}}), false},
		"led":              {device.Compose(two).Led(one), false},
		"led by the guard": {device.Compose(one).Led(two), true},
		"nested":           {device.Compose(device.Compose(two), one), true},
	} {
		if got := device.Guards(c.d); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// keys has buttons and an agent.
type keys struct {
	part
	device.Buttons
	device.Agent
}

// TestLeadUsesItsOwnButtonsAndAgent: the buttons and the agent of a device that is led are those of the lead. Another driver's would do
// something that the lead does not see, and are named where the lead has none.
func TestLeadUsesItsOwnButtonsAndAgent(t *testing.T) {
	var closed []string
	usual := &keys{part: part{driver: "usual", closed: &closed}, Buttons: button("usual")}
	lead := &keys{part: part{driver: "lead", closed: &closed}, Buttons: button("lead")}
	b, err := device.As[device.Buttons](device.Compose(usual).Led(lead))
	if err != nil || b.Press(t.Context(), "home", 0) == nil || b.Press(t.Context(), "home", 0).Error() != "lead" {
		t.Errorf("%v, %v", b, err)
	}
	handless := device.Compose(usual).Led(&part{driver: "bare", closed: &closed})
	for _, err := range []error{second(device.As[device.Buttons](handless)), second(device.As[device.Agent](handless))} {
		if !fault.Is(err, fault.Unsupported) || !strings.Contains(fault.From(err).Hint, "usual") {
			t.Errorf("%v", err)
		}
	}
}

type button string

func (b button) Press(context.Context, string, time.Duration) error { return errors.New(string(b)) }

func second[T any](_ T, err error) error { return err }
