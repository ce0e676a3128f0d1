//go:build darwin || macaxfake

package macax

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"ios-agent/internal/desktop"
	"ios-agent/internal/ui"
)

// Options of CGWindowList.
const (
	listAll            = 0
	listOnScreen       = 1 << 0
	listThisWindow     = 1 << 3
	listWithoutDesktop = 1 << 4
)

// window is a window of the window server.
type window struct {
	id       uint32
	pid      int
	layer    int64
	owner    string
	title    string // also empty without the permission for pictures
	bounds   ui.Rect
	onScreen bool
}

// list asks the window server for windows, front to back.
func (l *library) list(option uint32) (all []window) {
	infos := l.windowList(option, 0)
	if infos == 0 {
		return nil
	}
	defer l.release(infos)
	for _, info := range l.all(infos) {
		w := window{
			id: uint32(l.int(l.dictionaryGet(info, l.windowNumber))), pid: int(l.int(l.dictionaryGet(info, l.windowPID))),
			layer: l.int(l.dictionaryGet(info, l.windowLayer)), owner: l.string(l.dictionaryGet(info, l.windowOwner)),
			title: l.string(l.dictionaryGet(info, l.windowName)),
		}
		w.onScreen, _ = l.bool(l.dictionaryGet(info, l.windowOnScreen))
		var r cgRect
		if bounds := l.dictionaryGet(info, l.windowBounds); bounds != 0 && l.rectangle(bounds, &r) {
			w.bounds = ui.Rect(r)
		}
		all = append(all, w)
	}
	return all
}

// ofProcess are a process's windows on the screen, front to back.
func (l *library) ofProcess(pid int) []window {
	return slices.DeleteFunc(l.list(listOnScreen|listWithoutDesktop), func(w window) bool { return w.pid != pid || w.bounds.Empty() })
}

// backToFront sorts windows by their stacking. Accessibility does not report it; the window server does, and matches windows by their
// place. Windows that are off the screen come first.
func (w *walk) backToFront(all []*desktop.Node) []*desktop.Node {
	if len(all) < 2 {
		return all
	}
	on := w.lib.ofProcess(w.pid)
	depth := func(n *desktop.Node) int {
		at := slices.IndexFunc(on, func(o window) bool { return n.Bounds != nil && near(*n.Bounds, o.bounds) })
		if at < 0 || n.Hidden {
			return len(on)
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b *desktop.Node) int { return cmp.Compare(depth(b), depth(a)) })
	return all
}

// told is accessibility's description of a window.
type told struct {
	title     string
	bounds    ui.Rect
	minimized bool
	focused   bool
}

// Windows are the windows of the user's processes. Titles and minimized states come from accessibility; without its permission, from the
// window server.
func (d *Desktop) Windows(ctx context.Context, _ desktop.Environ) (all []desktop.Window, err error) {
	l, err := d.load()
	if err != nil {
		return nil, err
	}
	return all, l.pooled(func() error {
		trusted := l.trusted(0)
		known := map[int][]told{}
		for _, w := range l.list(listAll | listWithoutDesktop) {
			if w.layer != 0 || w.bounds.Empty() || d.options.Alive(w.pid) != nil {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, asked := known[w.pid]; trusted && !asked {
				known[w.pid] = l.tell(w.pid)
			}
			out := desktop.Window{
				ID: strconv.FormatUint(uint64(w.id), 10), PID: w.pid, App: w.owner, Title: w.title, Bounds: w.bounds,
			}
			if i := slices.IndexFunc(known[w.pid], func(t told) bool { return near(t.bounds, w.bounds) }); i >= 0 {
				t := known[w.pid][i]
				known[w.pid] = slices.Delete(known[w.pid], i, i+1) // two windows may have one place
				out.Title, out.Focused, out.Hidden = cmp.Or(t.title, w.title), t.focused, t.minimized
			}
			if w.onScreen || out.Hidden {
				all = append(all, out)
			}
		}
		return nil
	})
}

// windowAttributes are read of windows that are only listed.
var windowAttributes = []string{"AXTitle", "AXPosition", "AXSize", "AXMinimized", "AXMain"}

// tell asks a process for its windows, with a shorter limit than for a driven process.
func (l *library) tell(pid int) (all []told) {
	root := l.appElement(int32(pid))
	if root == 0 {
		return nil
	}
	defer l.release(root)
	l.setTimeout(root, float32(answerWithin.Seconds()/3))
	var windows, front ref
	if l.copyAttribute(root, l.name("AXWindows"), &windows) != axSuccess || windows == 0 {
		return nil
	}
	defer l.release(windows)
	if l.copyAttribute(root, l.name("AXFrontmost"), &front) == axSuccess && front != 0 {
		defer l.release(front)
	}
	frontmost, _ := l.bool(front)
	names := l.texts(windowAttributes)
	defer l.release(names)
	for _, w := range l.items(windows, l.types.element) {
		var values ref
		if code := l.copyAttributes(w, names, 0, &values); code == axCannotComplete {
			return all
		} else if code != axSuccess || values == 0 {
			continue
		}
		if v := l.all(values); len(v) == len(windowAttributes) {
			x, y, _ := l.pair(v[1], valuePoint)
			width, height, _ := l.pair(v[2], valueSize)
			minimized, _ := l.bool(v[3])
			main, _ := l.bool(v[4])
			all = append(all, told{l.string(v[0]), ui.Rect{X: x, Y: y, W: width, H: height}, minimized, main && frontmost})
		}
		l.release(values)
	}
	return all
}
