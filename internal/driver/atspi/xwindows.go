package atspi

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"

	"ios-agent/internal/desktop"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/ui"
)

// xwindow is a window of an X server.
type xwindow struct {
	id       xproto.Window
	pid      int
	title    string
	rect     ui.Rect // without the window manager's frame
	shadow   [4]int  // left, right, top, bottom: the shadow that GTK draws inside of the window
	viewable bool
	hidden   bool // minimized
	override bool // outside of the window manager: a menu, a hint
}

// content is the visible part of the window.
func (w *xwindow) content() ui.Rect {
	l, r, t, b := float64(w.shadow[0]), float64(w.shadow[1]), float64(w.shadow[2]), float64(w.shadow[3])
	return ui.Rect{X: w.rect.X + l, Y: w.rect.Y + t, W: w.rect.W - l - r, H: w.rect.H - t - b}
}

const mostWindows = 1000

// windows are a process's windows, back to front; all windows for pid 0.
func (d *display) windows(pid int) ([]xwindow, error) {
	defer d.within(longestX)()
	clients := words(d.property(d.root, "_NET_CLIENT_LIST_STACKING", mostWindows))
	if len(clients) == 0 {
		clients = words(d.property(d.root, "_NET_CLIENT_LIST", mostWindows))
	}
	managed := map[xproto.Window]bool{}
	var ids []xproto.Window
	for _, c := range clients {
		managed[xproto.Window(c)] = true
		ids = append(ids, xproto.Window(c))
	}
	tree, err := xproto.QueryTree(d.conn, d.root).Reply()
	if err != nil {
		return nil, err
	}
	for _, w := range tree.Children[max(len(tree.Children)-mostWindows, 0):] {
		if !managed[w] {
			ids = append(ids, w)
		}
	}
	var all []xwindow
	for i, w := range d.describe(ids) {
		if w.pid == 0 || pid != 0 && w.pid != pid {
			continue
		}
		if managed[ids[i]] || w.viewable && (w.override || len(clients) == 0) {
			all = append(all, w)
		}
	}
	return all, nil
}

// describe sends all requests about windows before it waits for the first answer.
func (d *display) describe(ids []xproto.Window) []xwindow {
	type asked struct {
		pid, name, old, state, shadow xproto.GetPropertyCookie
		geometry                      xproto.GetGeometryCookie
		at                            xproto.TranslateCoordinatesCookie
		attributes                    xproto.GetWindowAttributesCookie
	}
	cookies := make([]asked, len(ids))
	for i, w := range ids {
		cookies[i] = asked{
			pid: d.property(w, "_NET_WM_PID", 1), name: d.property(w, "_NET_WM_NAME", 256),
			old:   xproto.GetProperty(d.conn, false, w, xproto.AtomWmName, xproto.GetPropertyTypeAny, 0, 256),
			state: d.property(w, "_NET_WM_STATE", 32), shadow: d.property(w, "_GTK_FRAME_EXTENTS", 4),
			geometry: xproto.GetGeometry(d.conn, xproto.Drawable(w)), at: xproto.TranslateCoordinates(d.conn, w, d.root, 0, 0),
			attributes: xproto.GetWindowAttributes(d.conn, w),
		}
	}
	owners := d.owners(ids)
	all := make([]xwindow, len(ids))
	for i, c := range cookies {
		w := xwindow{id: ids[i], title: textOf(c.name)}
		if old := textOf(c.old); w.title == "" {
			w.title = old
		}
		pid, state, shadow := words(c.pid), words(c.state), words(c.shadow)
		geometry, err1 := c.geometry.Reply()
		at, err2 := c.at.Reply()
		attributes, err3 := c.attributes.Reply()
		owner := owners[d.client(ids[i])]
		if owner == 0 && len(pid) == 1 {
			owner = int(pid[0])
		}
		if err1 == nil && err2 == nil && err3 == nil { // it may be closed by now
			w.pid = owner
			w.rect = ui.Rect{X: float64(at.DstX), Y: float64(at.DstY), W: float64(geometry.Width), H: float64(geometry.Height)}
			w.viewable = attributes.MapState == xproto.MapStateViewable
			w.override = attributes.OverrideRedirect
		}
		for _, s := range state {
			w.hidden = w.hidden || xproto.Atom(s) == d.atoms["_NET_WM_STATE_HIDDEN"]
		}
		if len(shadow) == 4 {
			for k, n := range shadow {
				w.shadow[k] = int(min(n, 1000))
			}
		}
		all[i] = w
	}
	return all
}

// client is the part of a window's id that all windows of one connection share.
func (d *display) client(w xproto.Window) uint32 { return uint32(w) &^ d.setup.ResourceIdMask }

// owners are the processes of windows, by client, as the server knows them from their connections. Any program can write _NET_WM_PID, so
// it counts only where the server has no answer, as for programs of other machines.
func (d *display) owners(ids []xproto.Window) map[uint32]int {
	pids := map[uint32]int{}
	if !d.owns {
		return pids
	}
	var asks []res.ClientIdSpec
	for _, w := range ids {
		client := d.client(w)
		if _, asked := pids[client]; !asked {
			pids[client] = 0
			asks = append(asks, res.ClientIdSpec{Client: uint32(w), Mask: res.ClientIdMaskLocalClientPID})
		}
	}
	reply, err := res.QueryClientIds(d.conn, uint32(len(asks)), asks).Reply()
	if err != nil {
		return pids // a server from before 2012
	}
	for _, id := range reply.Ids {
		if id.Spec.Mask == res.ClientIdMaskLocalClientPID && len(id.Value) > 0 {
			pids[d.client(xproto.Window(id.Spec.Client))] = int(id.Value[0])
		}
	}
	return pids
}

// active is the window with the keyboard, from the window manager; 0 without one.
func (d *display) active() xproto.Window {
	if all := words(d.property(d.root, "_NET_ACTIVE_WINDOW", 1)); len(all) == 1 {
		return xproto.Window(all[0])
	}
	return 0
}

// Windows are all windows of the user's processes.
func (d *Desktop) Windows(ctx context.Context, env desktop.Environ) ([]desktop.Window, error) {
	at := environ{get: env, other: d.o.Getenv}.place()
	if at.display == "" {
		return nil, noDisplay(0, at.wayland)
	}
	screen, err := openDisplay(ctx, at)
	if err != nil {
		return nil, err
	}
	defer screen.close()
	found, err := screen.windows(0)
	if err != nil {
		return nil, err
	}
	active := screen.active()
	all := []desktop.Window{}
	for _, w := range found {
		if w.override || !w.viewable && !w.hidden || allowed(w.pid) != nil {
			continue
		}
		all = append(all, desktop.Window{ID: "0x" + strconv.FormatUint(uint64(w.id), 16), PID: w.pid, App: programName(w.pid), Title: w.title,
			Bounds: w.content(), Focused: w.id == active, Hidden: w.hidden})
	}
	return all, nil
}

func programName(pid int) string {
	known, err := processes.Known(pid)
	if err != nil {
		return ""
	}
	if known.Path == "" && len(known.Args) > 0 {
		return filepath.Base(known.Args[0])
	}
	return filepath.Base(known.Path)
}
