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

// lookGap is the pause between two looks at a moving screen.
const lookGap = 60 * time.Millisecond

// glance is one look at the screen.
type glance struct {
	sight
	app    string
	digest string
}

// Observe reads the screen until it has been still for long enough; the companion cannot wait for that.
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
	if s, err = read(ctx, text); ctx.Err() != nil { // a huge tree takes long to read, and the caller may have left
		return s, unsent(ctx.Err())
	}
	if err != nil {
		return s, refuse(fault.AgentFailed, "cannot read the tree of %s: %w", p.who(), err).
			WithHint("try again; or choose another driver: %s", useXCTest)
	}
	return s, nil
}

// whole reads the tree, and once more after a refusal. If the companion's reader inside the simulator never worked, later reads use the
// smaller tree from outside. A reader that has worked stays in use: otherwise the smaller tree would look like a changed screen.
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

// tree reads the tree of the screen, or the element at a point.
func (c *companion) tree(ctx context.Context, at *idbwire.Point, by idbwire.Backend) (string, error) {
	var answer idbwire.AccessibilityInfoResponse
	err := c.call(ctx, idbwire.AccessibilityInfo,
		&idbwire.AccessibilityInfoRequest{Point: at, Format: idbwire.Complete, Keys: keys(), Backend: by}, &answer)
	return answer.JSON, err
}

// orOff returns err, or that the simulator is off, which explains it.
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

// appOf is the app of a tree, found by its process; if the companion does not report the processes of apps, by its name. It is "" if
// unknown.
func (p *phone) appOf(ctx context.Context, s sight) (string, error) {
	if s.blocked || strings.TrimSpace(s.root.Label) == "" { // the home screen's label is a space
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

// byName is the only running app of a name; "" if none or several have it.
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

// whole adds the parts that need further requests: the elements of closed containers.
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

// probes is the number of points at which a closed container is read.
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
				text, err = "", nil // no element is there
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
