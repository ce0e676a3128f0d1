package idb

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/driver/idbwire"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// lookGap is how long to wait between two looks at a screen that moves.
const lookGap = 60 * time.Millisecond

// glance is one look at what is in front.
type glance struct {
	sight
	app    string
	digest string
}

// Observe looks at what is in front until it has been the same for long enough: the companion waits for nothing.
func (p *phone) Observe(ctx context.Context, w device.Wait) (*ui.Screen, error) {
	var last *glance
	screen, err := device.Watch{
		Clock: p.driver.opts.Clock, Gap: lookGap,
		Glance: func(ctx context.Context) (string, error) {
			var err error
			if last, err = p.glance(ctx); err != nil {
				return "", err
			}
			return last.digest, nil
		},
		Whole: func(ctx context.Context, _ bool) (*ui.Screen, error) { return p.whole(ctx, last) },
	}.Until(ctx, w)
	if err != nil && ctx.Err() != nil {
		return nil, unsent(err)
	}
	return screen, err
}

// glance looks once.
func (p *phone) glance(ctx context.Context) (*glance, error) {
	s, err := p.see(ctx)
	if err != nil {
		return nil, err
	}
	g := &glance{sight: s}
	if g.app, err = p.appOf(ctx, s); err != nil {
		return nil, err
	}
	g.digest = device.Digest(g.app, "", s.root)
	return g, nil
}

// see reads the tree.
func (p *phone) see(ctx context.Context) (s sight, err error) {
	var text string
	err = p.do(ctx, reads, 0, func(ctx context.Context, c *companion) error {
		text, err = c.whole(ctx)
		return err
	})
	if err != nil {
		return s, p.orOff(ctx, err)
	}
	if s, err = read(ctx, text); ctx.Err() != nil { // a huge tree takes long to read, and who asked may have left
		return s, unsent(ctx.Err())
	}
	if err != nil {
		return s, refuse(fault.AgentFailed, "the tree of %s cannot be read: %w", p.who(), err).
			WithHint("try again; or choose another driver: %s", driveWith("xctest"))
	}
	return s, nil
}

// whole asks for the tree, and once more if it is refused. A companion whose reader inside the simulator never worked has none: its tree
// is the smaller one from outside from now on. One that has worked is not given up: the smaller tree would be taken for what is there.
func (c *companion) whole(ctx context.Context) (text string, err error) {
	by, worked := c.backend()
	for range 2 {
		text, err = c.tree(ctx, nil, by)
		if no, refused := errors.AsType[*idbwire.StatusError](err); !refused || no.Code == idbwire.Unavailable {
			break
		}
	}
	if no, refused := errors.AsType[*idbwire.StatusError](err); refused && no.Code != idbwire.Unavailable && !worked {
		by = idbwire.BackendUsual
		text, err = c.tree(ctx, nil, by)
	}
	if err == nil {
		c.reading(by)
	}
	return text, err
}

// tree asks for the tree of what is in front, or for the element at a point.
func (c *companion) tree(ctx context.Context, at *idbwire.Point, by idbwire.Backend) (string, error) {
	var answer idbwire.AccessibilityInfoResponse
	err := c.call(ctx, idbwire.AccessibilityInfo,
		&idbwire.AccessibilityInfoRequest{Point: at, Format: idbwire.Complete, Keys: keys(), Backend: by}, &answer)
	return answer.JSON, err
}

// orOff is an error, or that the simulator is off, which explains it.
func (p *phone) orOff(ctx context.Context, err error) error {
	c, _ := p.current()
	if c == nil || !fault.Is(err, fault.AgentFailed) {
		return err
	}
	if off := p.verify(ctx, c); fault.Is(off, fault.DeviceNotBooted) {
		return off
	}
	return err
}

// appOf is the app of a tree, by its process; a companion that does not tell the processes of apps is asked for its name. It is empty when
// nobody knows.
func (p *phone) appOf(ctx context.Context, s sight) (string, error) {
	if s.blocked || strings.TrimSpace(s.root.Label) == "" { // the home screen calls itself a blank
		return springboard, nil
	}
	p.mu.Lock()
	name := p.names[s.pid]
	p.mu.Unlock()
	if name != "" && s.pid != 0 {
		return name, nil
	}
	apps, err := p.list(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(apps, func(a *idbwire.App) bool { return a.PID != 0 && a.PID == s.pid })
	if i < 0 {
		name = byName(apps, s.root.Label)
		return name, device.CheckFront(p.who(), name)
	}
	if err := device.CheckFront(p.who(), apps[i].BundleID); err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names[s.pid] = apps[i].BundleID
	return apps[i].BundleID, nil
}

// byName is the only app that runs and has a name; empty: there is none, or more than one.
func byName(apps []*idbwire.App, name string) (found string) {
	for _, a := range apps {
		if a.Name != name || a.State != idbwire.ProcessRunning {
			continue
		}
		if found != "" {
			return ""
		}
		found = a.BundleID
	}
	return found
}

// whole adds to a glance what only further questions tell: the elements of closed containers.
func (p *phone) whole(ctx context.Context, g *glance) (*ui.Screen, error) {
	if !g.guest && !g.blocked {
		for _, n := range closed(g.root) {
			if err := p.open(ctx, n); err != nil {
				return nil, err
			}
		}
	}
	p.note(g.root.Frame)
	screen := ui.NewScreen(g.app, "running_foreground", g.root)
	screen.Truncated, screen.Unsure, screen.Digest = g.left, !g.guest, device.Digest(g.app, "", g.root)
	return screen, nil
}

// note remembers the size of the screen.
func (p *phone) note(frame ui.Rect) {
	if frame.Empty() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.screen = frame
}

// probes is how many points of a closed container are asked for.
const probes = 15

// open finds the elements of a container at points of its middle line.
func (p *phone) open(ctx context.Context, n *ui.Node) error {
	for i := range probes {
		at := &idbwire.Point{X: n.Frame.X + n.Frame.W*(float64(i)+0.5)/probes, Y: n.Frame.Y + n.Frame.H/2}
		var text string
		err := p.do(ctx, reads, 0, func(ctx context.Context, c *companion) (err error) {
			by, _ := c.backend()
			text, err = c.tree(ctx, at, by)
			if _, answered := errors.AsType[*idbwire.StatusError](err); answered {
				text, err = "", nil // nothing is there
			}
			return err
		})
		if err != nil {
			return err
		}
		found, err := read(ctx, text)
		if err != nil || !within(found.root, n) {
			continue
		}
		if !slices.ContainsFunc(n.Children, func(c *ui.Node) bool { return c.Frame == found.root.Frame }) {
			n.Children = append(n.Children, found.root)
		}
	}
	return nil
}
