package atspi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/machine/processes"
)

// application is an application that a toolkit of the process has registered. A process may have several.
type application struct {
	root    ref
	toolkit string
	version string
	cache   cacheState
	direct  *bus // the direct connection of the last press, or nil
}

// cacheState says whether Cache.GetItems works.
type cacheState uint8

const (
	cacheUntried cacheState = iota // it may come: GTK 3 serves it some time after the registration of events
	cacheWorks
	cacheNone
)

func (p *application) gtk4() bool {
	return strings.EqualFold(p.toolkit, "gtk") && !strings.HasPrefix(p.version, "3.") && !strings.HasPrefix(p.version, "2.")
}

// mute reports whether all windows are empty, as in Chromium and Electron without the accessibility switch.
func (p *application) mute(windows []*item) bool {
	return len(windows) > 0 && strings.EqualFold(p.toolkit, "chromium") &&
		!slices.ContainsFunc(windows, func(w *item) bool { return len(w.children) > 0 })
}

// unique reports whether the toolkit never reuses an element's path.
func (p *application) unique() bool { return p.gtk4() || strings.EqualFold(p.toolkit, "chromium") }

// accessibility connects to the accessibility bus of a place: the bus in its environment, or the bus that its session bus or its display
// names.
func (d *Desktop) accessibility(ctx context.Context, at place, screen *display, hears dbus.SignalHandler) (*bus, error) {
	var first error
	try := func(address string) *bus {
		if address == "" {
			return nil
		}
		b, err := d.connect(ctx, address, hears)
		if err != nil && first == nil {
			first = err
		}
		return b
	}
	if b := try(at.access); b != nil {
		return b, nil
	}
	for _, session := range []string{at.session, at.other} {
		if session == "" {
			continue
		}
		address, err := d.ask(ctx, session)
		if err != nil && first == nil {
			first = err
		}
		if b := try(address); b != nil {
			return b, nil
		}
		if session == at.session && screen != nil { // before another session's bus
			if b := try(screen.rootText(rootBus)); b != nil {
				return b, nil
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case first == nil && at.session == "" && at.other == "":
		if screen != nil {
			if b := try(screen.rootText(rootBus)); b != nil {
				return b, nil
			}
		}
		return nil, noSession()
	}
	return nil, first
}

// ask asks a session bus for the accessibility bus, which starts it.
func (d *Desktop) ask(ctx context.Context, session string) (string, error) {
	b, err := d.connect(ctx, session, nil)
	if err != nil {
		return "", noSession().With("session_bus", err.Error())
	}
	defer b.close()
	answer, err := b.call(ctx, a11yBus, "org.a11y.Bus.GetAddress")
	if err != nil {
		return "", noAccessibility(err)
	}
	address, _ := unwrapped(answer).(string)
	if address == "" {
		return "", noAccessibility(fmt.Errorf("org.a11y.Bus has no address"))
	}
	return address, nil
}

// events are the registered events. Without registration, GTK 3 reports no events and serves no cache.
var events = []string{"object:", "window:", "document:"}

func (b *bus) registerEvents(ctx context.Context) error {
	asks := make([]*ask, len(events))
	for i, event := range events {
		asks[i] = &ask{registry, "org.a11y.atspi.Registry.RegisterEvent", []any{event, []string{}, ""}, func(_ []any, err error) {}}
	}
	return b.all(ctx, asks)
}

// await waits for the process on the bus, which takes a moment after its start.
func (a *App) await(ctx context.Context) error {
	until := time.NewTimer(a.d.o.Patience)
	defer until.Stop()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		child, err := a.refresh(ctx)
		if err != nil {
			return a.explain(err)
		}
		if len(a.names) > 0 {
			return nil
		}
		select {
		case <-poll.C:
		case <-until.C:
			if own, _ := a.ownWindows(ctx); child == 0 && len(own) > 0 {
				return nil // keys, clicks and pictures need only a window
			}
			return absent(a.pid, child)
		case <-ctx.Done():
			return ctx.Err()
		}
		if !processes.Alive(a.pid, a.start) {
			return notRunning(a.pid)
		}
	}
}

const mostPrograms = 1000

// kin reports whether a name on the bus belongs to the process or to a descendant: pages of a browser are processes of their own. Only
// the bus is trusted here, because a program can claim anything about its elements.
func (a *App) kin(ctx context.Context, name string) bool {
	if a.names[name] != nil {
		return true
	}
	is, known := a.others[name]
	if known || len(a.others) >= mostPrograms {
		return is
	}
	answer, err := a.bus.call(ctx, daemonOf, "org.freedesktop.DBus.GetConnectionUnixProcessID", name)
	if err == nil {
		is = slices.Contains(processes.Line(whole(unwrapped(answer))), a.pid)
	}
	if isRefusal(err) || err == nil {
		a.others[name] = is
	}
	return is
}

// refresh asks the registry for the applications, and keeps the process's own. child is a descendant that is on the bus.
func (a *App) refresh(ctx context.Context) (child int, err error) {
	answer, err := a.bus.call(ctx, programs, accessible+".GetChildren")
	if err != nil {
		return 0, err
	}
	roots := refsOf(unwrapped(answer))
	roots = roots[:min(len(roots), mostPrograms)]
	if child, err = a.adopt(ctx, roots); err != nil || len(a.names) > 0 {
		return child, err
	}
	unlisted, err := a.unlisted(ctx)
	if err != nil {
		return 0, err
	}
	_, err = a.adopt(ctx, unlisted)
	return child, err
}

// unlisted are programs that may be on the bus without being in the registry, which forgets requests that come while it starts.
func (a *App) unlisted(ctx context.Context) (roots []ref, err error) {
	answer, err := a.bus.call(ctx, daemonOf, "org.freedesktop.DBus.ListNames")
	if err != nil {
		return nil, err
	}
	names, _ := unwrapped(answer).([]string)
	var asks []*ask
	for _, name := range names[:min(len(names), mostPrograms)] {
		if !strings.HasPrefix(name, ":") || !isBusName(name) {
			continue
		}
		asks = append(asks, &ask{daemonOf, "org.freedesktop.DBus.GetConnectionUnixProcessID", []any{name}, func(body []any, err error) {
			if err == nil && whole(unwrapped(body)) == a.pid {
				roots = append(roots, ref{name, programs.path})
			}
		}})
	}
	if err := a.bus.all(ctx, asks); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(roots, func(r ref) bool {
		role, err := a.bus.call(ctx, r, accessible+".GetRole")
		return err != nil || unwrapped(role) != uint32(roleApplication)
	}), nil
}

// adopt keeps the applications of the process.
func (a *App) adopt(ctx context.Context, roots []ref) (child int, err error) {
	pids := make([]int, len(roots))
	var asks []*ask
	for i, r := range roots {
		if a.names[r.bus] == nil {
			asks = append(asks, &ask{daemonOf, "org.freedesktop.DBus.GetConnectionUnixProcessID", []any{r.bus}, func(body []any, err error) {
				if err == nil {
					pids[i] = whole(unwrapped(body))
				}
			}})
		}
	}
	if err := a.bus.all(ctx, asks); err != nil {
		return 0, err
	}
	for i, r := range roots {
		switch {
		case a.names[r.bus] != nil:
		case pids[i] == a.pid:
			if err := a.join(ctx, r); err != nil {
				return 0, err
			}
		case pids[i] > 0 && slices.Contains(processes.Line(pids[i]), a.pid):
			child = pids[i]
		}
	}
	for name := range a.names {
		if !a.heard.lives(name) {
			a.names[name].hangUp()
			delete(a.names, name)
		}
	}
	return child, nil
}

// join listens to an application of the process.
func (a *App) join(ctx context.Context, root ref) error {
	p := &application{root: root}
	asks := []*ask{
		get(root, programOf, "ToolkitName", func(v any) { p.toolkit = short(v) }),
		get(root, programOf, "Version", func(v any) { p.version = short(v) }),
	}
	for _, rule := range []string{
		"type='signal',sender='" + root.bus + "'",
		"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='" + root.bus + "'",
	} {
		asks = append(asks, &ask{daemonOf, "org.freedesktop.DBus.AddMatch", []any{rule}, func([]any, error) {}})
	}
	a.heard.hear(root.bus, false)
	if err := a.bus.all(ctx, asks); err != nil {
		return err
	}
	a.heard.hear(root.bus, p.unique())
	a.names[root.bus] = p
	return nil
}
