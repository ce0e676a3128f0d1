package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
	"ios-agent/internal/desktop/display"
	"ios-agent/internal/driver/atspi"
	"ios-agent/internal/machine/host"
	"ios-agent/test/xdesktop"
)

const (
	factory     = "gtk3-widget-factory"
	factoryPage = 5    // looks of each kind
	someClicks  = 40   // that are measured
	manyClicks  = 1000 // after which all memory must be free again
)

// windowing is a program of a desktop: its tree beside the same read call by call, an action with what came of it, and a thousand actions.
func windowing(ctx context.Context, l *lab) (figures []figure, err error) {
	tree := figure{name: "desktop: tree of gtk3-widget-factory", unit: millis, bound: 60}
	beside := figure{name: "desktop: that tree / call by call", unit: times, bound: 0.2}
	act := figure{name: "desktop: action, settle and diff", unit: millis, bound: 200}
	more := figure{name: "desktop: memory that 1000 actions take", unit: megabytes, bound: 10}
	all := []*figure{&tree, &beside, &act, &more}
	told := func() (figures []figure) {
		for _, f := range all {
			figures = append(figures, *f)
		}
		return figures
	}
	if !host.Installed(factory) && os.Getenv("CI") != "true" {
		for _, f := range all {
			f.skipped = true
		}
		return told(), nil
	}
	screen, err := display.Start(ctx, l.host)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, screen.Close()) }()
	d, err := l.openDesk(ctx, screen, factory)
	if err != nil {
		return nil, err
	}
	defer d.close(ctx)
	if err := d.plain(screen.Bus); err != nil {
		return nil, err
	}
	got, err := alternate(factoryPage, d.look, d.callByCall)
	if err != nil {
		return nil, err
	}
	tree.value, beside.value = inMillis(median(got[0])), ratio(got[0], got[1])
	took, err := d.clicks(ctx, enabledBox)
	if err != nil {
		return nil, err
	}
	act.value = inMillis(median(took))
	binary := filepath.Join(l.dir, "gtkapp")
	if err := xdesktop.Compile(ctx, l.host, binary); err != nil {
		if os.Getenv("CI") == "true" {
			return nil, err
		}
		more.skipped = true // no compiler, or not GTK's headers
		return told(), nil
	}
	more.value, err = l.manyActions(ctx, screen, binary)
	return told(), err
}

// manyActions is the memory that many actions leave in the daemon, on a program with few widgets.
func (l *lab) manyActions(ctx context.Context, screen *display.Display, binary string) (mb float64, err error) {
	d, err := l.openDesk(ctx, screen, binary)
	if err != nil {
		return 0, err
	}
	defer d.close(ctx)
	if _, err := d.clicks(ctx, anyBox); err != nil { // after them the daemon has all the memory that clicks need
		return 0, err
	}
	before, err := memoryMB(d.api.status.PID, "RssAnon")
	if err != nil {
		return 0, err
	}
	for range manyClicks {
		if _, err := d.click(ctx, 1); err != nil {
			return 0, err
		}
	}
	after, err := memoryMB(d.api.status.PID, "RssAnon")
	return max(after-before, 0), err
}

// desk is the program, seen by us and by a client that asks for one thing at a time.
type desk struct {
	api     *api
	session string
	pid     int
	toggle  string // id of an element that a click changes
	app     desktop.App
	bus     *dbus.Conn
	root    dbus.BusObject
	ctx     context.Context
	nodes   int
}

func (l *lab) openDesk(ctx context.Context, screen *display.Display, program string) (*desk, error) {
	api, err := l.api(ctx)
	if err != nil {
		return nil, err
	}
	launch := l.command("ios-agent", "app", "launch", "--json", program)
	launch.Env = slices.Concat(launch.Env, screen.Env())
	out, err := l.host.Run(ctx, launch)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out.Stderr)
	}
	var begun struct {
		Result struct {
			Session string `json:"sessionId"`
			PID     int
		}
	}
	if err := json.Unmarshal(out.Stdout, &begun); err != nil {
		return nil, err
	}
	d := &desk{api: api, session: begun.Result.Session, pid: begun.Result.PID, ctx: ctx}
	if _, err := d.seen(ctx); err != nil { // it waits for the first window
		return nil, err
	}
	if d.app, err = atspi.New(atspi.Options{}).Open(ctx, begun.Result.PID); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *desk) close(ctx context.Context) {
	_ = d.api.call(ctx, "debug_session", fmt.Sprintf(`{"action":"stop","sessionId":%q}`, d.session)) // the lab ends what is left
	_ = d.app.Close()
	if d.bus != nil {
		_ = d.bus.Close()
	}
}

// seen is the tree as a client of the daemon gets it.
func (d *desk) seen(ctx context.Context) (string, error) {
	raw, err := d.api.ask(ctx, "debug_ui?sessionId="+d.session, "")
	return string(raw), err
}

func (d *desk) look() (time.Duration, error) {
	began := time.Now()
	t, err := d.app.Look(d.ctx, desktop.Limits{})
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	d.nodes = 0
	t.Walk(func(*desktop.Node) bool { d.nodes++; return true })
	if d.nodes < 200 {
		return 0, fmt.Errorf("%s has %d elements", factory, d.nodes)
	}
	return took, nil
}

// plain finds the program as any client of the accessibility bus would.
func (d *desk) plain(session string) error {
	b, err := dbus.Connect(session)
	if err != nil {
		return err
	}
	defer b.Close()
	var address string
	if err := b.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return err
	}
	if d.bus, err = dbus.Connect(address); err != nil {
		return err
	}
	var apps []accessible
	desktops := d.bus.Object("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
	if err := desktops.Call("org.a11y.atspi.Accessible.GetChildren", 0).Store(&apps); err != nil {
		return err
	}
	for _, a := range apps {
		var own uint32
		asked := d.bus.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, a.Name)
		if err := asked.Store(&own); err == nil && int(own) == d.pid {
			d.root = d.bus.Object(a.Name, a.Path)
			return nil
		}
	}
	return fmt.Errorf("process %d is not on the accessibility bus", d.pid)
}

type accessible struct {
	Name string
	Path dbus.ObjectPath
}

// callByCall reads the same facts of every element as one of our looks, with a call for each fact.
func (d *desk) callByCall() (time.Duration, error) {
	began := time.Now()
	count, err := d.walk(d.root)
	if err == nil && count < 200 {
		err = fmt.Errorf("%s has %d elements, call by call", factory, count)
	}
	return time.Since(began), err
}

func (d *desk) walk(o dbus.BusObject) (count int, err error) {
	const face = "org.a11y.atspi."
	for _, name := range []string{"Name", "Description"} {
		if _, err := o.GetProperty(face + "Accessible." + name); err != nil {
			return 0, err
		}
	}
	for _, name := range []string{"GetRole", "GetState"} {
		if err := o.Call(face+"Accessible."+name, 0).Err; err != nil {
			return 0, err
		}
	}
	var faces []string
	if err := o.Call(face+"Accessible.GetInterfaces", 0).Store(&faces); err != nil {
		return 0, err
	}
	for _, f := range faces { // what an element refuses, it does not have
		switch strings.TrimPrefix(f, face) {
		case "Component":
			_ = o.Call(f+".GetExtents", 0, uint32(0)).Err
		case "Action":
			_ = o.Call(f+".GetActions", 0).Err
		case "Value":
			_, _ = o.GetProperty(f + ".CurrentValue")
		case "Text":
			_ = o.Call(f+".GetText", 0, int32(0), int32(-1)).Err
		}
	}
	var children []accessible
	if err := o.Call(face+"Accessible.GetChildren", 0).Store(&children); err != nil {
		return 0, err
	}
	count = 1
	for _, c := range children {
		n, err := d.walk(d.bus.Object(c.Name, c.Path))
		if err != nil {
			return 0, err
		}
		count += n
	}
	return count, nil
}

var (
	enabledBox = regexp.MustCompile(`\[AXCheckBox \\"checkbutton\\" id=(\S+) bounds=\S+ value=[01] enabled`)
	anyBox     = regexp.MustCompile(`\[AXCheckBox \\"Enabled\\" id=(\S+) bounds=\S+ value=[01] enabled`)
)

// clicks finds an element to click, and clicks it some times.
func (d *desk) clicks(ctx context.Context, box *regexp.Regexp) (took []time.Duration, err error) {
	tree, err := d.seen(ctx)
	if err != nil {
		return nil, err
	}
	found := box.FindStringSubmatch(tree)
	if found == nil {
		return nil, fmt.Errorf("no check box in %.2000s", tree)
	}
	d.toggle = found[1]
	for range someClicks {
		one, err := d.click(ctx, int(desktop.UsualSettle.Milliseconds()))
		if err != nil {
			return nil, err
		}
		took = append(took, one)
	}
	return took, nil
}

// click clicks it, waits so long at most until the windows are still, and wants it changed.
func (d *desk) click(ctx context.Context, settle int) (time.Duration, error) {
	began := time.Now()
	raw, err := d.api.ask(ctx, "debug_ui_action",
		fmt.Sprintf(`{"sessionId":%q,"action":"click","id":%q,"settleMs":%d}`, d.session, d.toggle, settle))
	took := time.Since(began)
	if err == nil && settle > 1 && !strings.Contains(string(raw), `"changed":true`) {
		err = fmt.Errorf("a click changed nothing: %s", raw)
	}
	return took, err
}
