package atspi

import (
	"bufio"
	"context"
	"encoding/binary"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/desktop"
)

// fakeBus is both buses of a session with programs on them, over a pipe: it reads calls and writes answers as a bus does. Everything is
// known by name on the bus and path.
type fakeBus struct {
	mu       sync.Mutex
	programs []*fakeProgram
	events   []string // registered
	matches  []string
	enabled  bool // org.a11y.Status
	calls    map[string]int
	lines    []*fakeLine
	noA11y   bool
	// before answers a call in the place of everything else, if it wants to; it runs without the lock.
	before func(c fakeCall) (reply *fakeReply)
}

type fakeCall struct {
	dest, path, iface, member string
	args                      []any
}

func (c fakeCall) is(path, method string) bool {
	return c.path == path && c.iface+"."+c.member == method
}

type fakeReply struct {
	body   []any
	err    string // a name; empty: none
	silent bool
}

// fakeProgram plays a program with a toolkit.
type fakeProgram struct {
	name             string // on the bus
	pid              int
	toolkit, version string
	cache            string // "", "gtk3": once events are wanted, "always", "old": with lists of children
	root             *fakeWidget
	unlisted         bool // the registry does not know it
}

// fakeWidget is an element and its state.
type fakeWidget struct {
	path       string
	role       uint32
	name, desc string
	states     []uint
	faces      []string
	kids       []*fakeWidget
	transient  bool // not in the cache
	rect       [4]int32
	actions    []string
	number     float64
	text       string
	attrs      map[string]string
	labelledBy *fakeWidget
	act        func(action int) bool
	refuses    bool // returns false to everything
	count      int  // the number of children that it says; 0: the truth
}

type wireRef struct {
	Bus  string
	Path dbus.ObjectPath
}

type wireItem struct {
	Ref, App, Parent wireRef
	Index, Kids      int32
	Faces            []string
	Name             string
	Role             uint32
	Description      string
	States           []uint32
}

type oldItem struct {
	Ref, App, Parent wireRef
	Kids             []wireRef
	Faces            []string
	Name             string
	Role             uint32
	Description      string
	States           []uint32
}

func (w *fakeWidget) bits() []uint32 {
	var b uint64
	for _, s := range w.states {
		b |= 1 << s
	}
	return []uint32{uint32(b), uint32(b >> 32)}
}

func (w *fakeWidget) walk(visit func(w, parent *fakeWidget, index int)) {
	for i, k := range w.kids {
		visit(k, w, i)
		k.walk(visit)
	}
}

// shownStates are the states of a usual GTK 3 widget.
func shownStates(more ...uint) []uint {
	return append([]uint{stateEnabled, stateSensitive, stateShowing, stateVisible}, more...)
}

// fakeLine is a connection to the bus.
type fakeLine struct {
	mu   sync.Mutex
	conn net.Conn
}

// dial is Options.Dial: the address of the accessibility bus is what the session bus says.
func (f *fakeBus) dial(_ context.Context, address string, more ...dbus.ConnOption) (*dbus.Conn, error) {
	ours, theirs := net.Pipe()
	line := &fakeLine{conn: theirs}
	f.mu.Lock()
	f.lines = append(f.lines, line)
	f.mu.Unlock()
	go f.serve(line, address)
	conn, err := dbus.NewConn(buffered{bufio.NewReader(ours), ours}, more...)
	if err != nil {
		return nil, err
	}
	if err := conn.Auth([]dbus.Auth{dbus.AuthAnonymous()}); err != nil {
		return conn, err
	}
	return conn, conn.Hello()
}

// buffered spares a meeting of both ends for every few bytes.
type buffered struct {
	*bufio.Reader
	net.Conn
}

func (b buffered) Read(p []byte) (int, error) { return b.Reader.Read(p) }

const fakeAccess = "fake:a11y"

func (f *fakeBus) serve(l *fakeLine, _ string) {
	defer l.conn.Close()
	in := bufio.NewReader(l.conn)
	if _, err := in.ReadByte(); err != nil {
		return
	}
	for begun := false; !begun; {
		words, err := in.ReadString('\n')
		if err != nil {
			return
		}
		answer := ""
		switch words = strings.TrimSpace(words); {
		case words == "AUTH":
			answer = "REJECTED ANONYMOUS\r\n"
		case strings.HasPrefix(words, "AUTH"), strings.HasPrefix(words, "DATA"):
			answer = "OK 0123456789abcdef\r\n"
		case words == "BEGIN":
			begun = true
		default:
			answer = "ERROR\r\n"
		}
		if _, err := l.conn.Write([]byte(answer)); err != nil {
			return
		}
	}
	for {
		m, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		head := func(field dbus.HeaderField) string {
			switch v := m.Headers[field].Value().(type) {
			case string:
				return v
			case dbus.ObjectPath:
				return string(v)
			}
			return ""
		}
		c := fakeCall{head(dbus.FieldDestination), head(dbus.FieldPath), head(dbus.FieldInterface), head(dbus.FieldMember), m.Body}
		r := f.answer(c)
		if r.silent {
			continue
		}
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Body: r.body, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()), dbus.FieldSender: dbus.MakeVariant(c.dest)}}
		if r.err != "" {
			reply.Type = dbus.TypeError
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant(r.err)
		}
		if len(r.body) > 0 {
			reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(r.body...))
		}
		if l.send(reply) != nil {
			return
		}
	}
}

func (l *fakeLine) send(m *dbus.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return m.EncodeTo(l.conn, binary.LittleEndian)
}

// emit sends a signal to all.
func (f *fakeBus) emit(sender, path, iface, member string, body ...any) {
	f.mu.Lock()
	lines := slices.Clone(f.lines)
	f.mu.Unlock()
	for _, l := range lines {
		l.send(&dbus.Message{Type: dbus.TypeSignal, Body: body, Headers: map[dbus.HeaderField]dbus.Variant{ // one may be closed
			dbus.FieldSender: dbus.MakeVariant(sender), dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(path)),
			dbus.FieldInterface: dbus.MakeVariant(iface), dbus.FieldMember: dbus.MakeVariant(member),
			dbus.FieldSignature: dbus.MakeVariant(dbus.SignatureOf(body...))}})
	}
}

// object describes an element in AT-SPI2's form.
func (f *fakeBus) object(w *fakeWidget, member, detail string, number int32, more any) {
	f.emit(f.programs[0].name, w.path, "org.a11y.atspi.Event.Object", member, detail, number, int32(0), dbus.MakeVariant(more),
		map[string]dbus.Variant{})
}

const unknown = "org.freedesktop.DBus.Error.Unknown"

func (f *fakeBus) answer(c fakeCall) *fakeReply {
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	if before != nil {
		if r := before(c); r != nil {
			return r
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	f.calls[c.member]++
	say := func(body ...any) *fakeReply { return &fakeReply{body: body} }
	switch c.dest {
	case "org.freedesktop.DBus":
		return f.daemon(c)
	case "org.a11y.Bus":
		switch {
		case f.noA11y:
			return &fakeReply{err: "org.freedesktop.DBus.Error.ServiceUnknown"}
		case c.member == "GetAddress":
			return say(fakeAccess)
		case c.member == "Get":
			return say(dbus.MakeVariant(f.enabled))
		}
		f.enabled = c.args[2].(dbus.Variant).Value().(bool)
		return say()
	case "org.a11y.atspi.Registry":
		if c.member == "RegisterEvent" {
			f.events = append(f.events, c.args[0].(string))
			return say()
		}
		var all []wireRef
		for _, p := range f.programs {
			if !p.unlisted {
				all = append(all, wireRef{p.name, dbus.ObjectPath(p.root.path)})
			}
		}
		return say(all)
	}
	for _, p := range f.programs {
		if p.name == c.dest {
			return f.program(p, c)
		}
	}
	return &fakeReply{err: "org.freedesktop.DBus.Error.ServiceUnknown"}
}

func (f *fakeBus) daemon(c fakeCall) *fakeReply {
	switch c.member {
	case "Hello":
		return &fakeReply{body: []any{":1.99"}}
	case "ListNames":
		all := []string{"org.freedesktop.DBus"}
		for _, p := range f.programs {
			all = append(all, p.name)
		}
		return &fakeReply{body: []any{all}}
	case "AddMatch":
		f.matches = append(f.matches, c.args[0].(string))
		return &fakeReply{}
	case "GetConnectionUnixProcessID":
		for _, p := range f.programs {
			if p.name == c.args[0] {
				return &fakeReply{body: []any{uint32(p.pid)}}
			}
		}
	}
	return &fakeReply{err: "org.freedesktop.DBus.Error.NameHasNoOwner"}
}

func (f *fakeBus) program(p *fakeProgram, c fakeCall) *fakeReply {
	if c.path == "/org/a11y/atspi/cache" {
		if p.cache == "" || p.cache == "gtk3" && len(f.events) == 0 {
			return &fakeReply{err: unknown + "Method"}
		}
		return &fakeReply{body: []any{p.items()}}
	}
	var found, parent *fakeWidget
	at := 0
	if c.path == p.root.path {
		found = p.root
	}
	p.root.walk(func(w, above *fakeWidget, i int) {
		if w.path == c.path {
			found, parent, at = w, above, i
		}
	})
	if found == nil {
		return &fakeReply{err: unknown + "Object"}
	}
	body, ok := p.widget(found, parent, at, c)
	if !ok {
		return &fakeReply{err: unknown + "Method"}
	}
	return &fakeReply{body: body}
}

func (p *fakeProgram) ref(w *fakeWidget) wireRef {
	if w == nil {
		return wireRef{"", nullPath}
	}
	return wireRef{p.name, dbus.ObjectPath(w.path)}
}

// items is what the cache has.
func (p *fakeProgram) items() any {
	items, old := []wireItem{}, []oldItem{}
	p.root.walk(func(w, parent *fakeWidget, i int) {
		if w.transient {
			return
		}
		count := w.children()
		if slices.Contains(w.states, stateManages) {
			count = -1 // as GTK 3 says it
		}
		items = append(items, wireItem{p.ref(w), p.ref(p.root), p.ref(parent), int32(i), count, w.faces, w.name, w.role, w.desc, w.bits()})
		kids := []wireRef{}
		for _, k := range w.kids {
			kids = append(kids, p.ref(k))
		}
		old = append(old, oldItem{p.ref(w), p.ref(p.root), p.ref(parent), kids, w.faces, w.name, w.role, w.desc, w.bits()})
	})
	if p.cache == "old" {
		return old
	}
	return items
}

func (w *fakeWidget) atPoint(x, y int32) *fakeWidget {
	for _, k := range w.kids {
		if x >= k.rect[0] && y >= k.rect[1] && x < k.rect[0]+k.rect[2] && y < k.rect[1]+k.rect[3] {
			return k
		}
	}
	return nil
}

func (w *fakeWidget) children() int32 {
	if w.count != 0 {
		return int32(w.count)
	}
	return int32(len(w.kids))
}

// widget answers for one element.
func (p *fakeProgram) widget(w, parent *fakeWidget, at int, c fakeCall) (body []any, ok bool) {
	if c.member == "Get" {
		v, ok := map[string]any{
			"ToolkitName": p.toolkit, "Version": p.version, "Name": w.name, "Description": w.desc, "ChildCount": w.children(),
			"CurrentValue": w.number, "MinimumValue": 0.0, "MaximumValue": 100.0, "CharacterCount": int32(len([]rune(w.text))),
		}[c.args[1].(string)]
		return []any{dbus.MakeVariant(v)}, ok
	}
	if c.member != "Set" && c.iface != accessible && !slices.Contains(w.faces, c.iface) {
		return nil, false
	}
	switch c.member {
	case "GetRole":
		return []any{w.role}, true
	case "GetState":
		return []any{w.bits()}, true
	case "GetInterfaces":
		return []any{append([]string{accessible}, w.faces...)}, true
	case "GetAttributes":
		return []any{w.attrs}, true
	case "GetRelationSet":
		type relation struct {
			Kind uint32
			To   []wireRef
		}
		all := []relation{}
		if w.labelledBy != nil {
			all = append(all, relation{1, nil}, relation{relationLabelledBy, []wireRef{p.ref(w.labelledBy)}})
		}
		return []any{all}, true
	case "GetChildren":
		all := []wireRef{}
		for _, k := range w.kids {
			all = append(all, p.ref(k))
		}
		return []any{all}, true
	case "GetChildAtIndex":
		if i := int(c.args[0].(int32)); i < len(w.kids) {
			return []any{p.ref(w.kids[i])}, true
		}
		return []any{p.ref(nil)}, true
	case "GetIndexInParent":
		return []any{int32(at)}, true
	case "GetAccessibleAtPoint":
		return []any{p.ref(w.atPoint(c.args[0].(int32), c.args[1].(int32)))}, true
	case "GetExtents":
		return []any{struct{ X, Y, W, H int32 }{w.rect[0], w.rect[1], w.rect[2], w.rect[3]}}, true
	case "GetActions":
		type named struct{ Name, Description, Keys string }
		all := []named{}
		for _, n := range w.actions {
			all = append(all, named{Name: n})
		}
		return []any{all}, true
	case "DoAction":
		return []any{!w.refuses && w.act != nil && w.act(int(c.args[0].(int32)))}, true
	case "GetText":
		runes := []rune(w.text)
		return []any{string(runes[c.args[0].(int32):min(int(c.args[1].(int32)), len(runes))])}, true
	case "SetTextContents":
		if !w.refuses {
			w.text = c.args[0].(string)
		}
		return []any{!w.refuses}, true
	case "GrabFocus":
		if !w.refuses {
			w.states = append(w.states, stateFocused)
		}
		return []any{!w.refuses}, true
	case "Set":
		w.number = c.args[2].(dbus.Variant).Value().(float64)
		return nil, true
	}
	return nil, false
}

// theApp is a GTK 3 program with one window; its fields name the widgets that tests check.
type theApp struct {
	program                                                  *fakeProgram
	root, window, toggle, slider, entry, secret, table, item *fakeWidget
	off, label, spin                                         *fakeWidget
}

func gtk3App() *theApp {
	const base = "/org/a11y/atspi/accessible/"
	box := []string{component}
	a := &theApp{}
	a.toggle = &fakeWidget{path: base + "10", role: roleToggleButton, name: "Bold", states: shownStates(stateFocusable),
		rect:  [4]int32{110, 70, 80, 30},
		faces: []string{component, action}, actions: []string{"click"}}
	a.toggle.act = func(int) bool {
		if i := slices.Index(a.toggle.states, stateChecked); i >= 0 {
			a.toggle.states = slices.Delete(a.toggle.states, i, i+1)
		} else {
			a.toggle.states = append(a.toggle.states, stateChecked)
		}
		return true
	}
	a.slider = &fakeWidget{path: base + "11", role: 51, name: "Volume", states: shownStates(stateFocusable), rect: [4]int32{110, 110, 200, 30},
		faces: []string{component, value}, number: 50}
	a.label = &fakeWidget{path: base + "12", role: 29, name: "Full name", states: shownStates(), rect: [4]int32{110, 150, 80, 30}, faces: box}
	a.entry = &fakeWidget{path: base + "13", role: 79, states: shownStates(stateFocusable, stateEditable), rect: [4]int32{200, 150, 100, 30},
		faces: []string{component, action, text, editable}, actions: []string{"activate"}, text: "Ada", labelledBy: a.label,
		attrs: map[string]string{"placeholder-text": "who"}}
	a.secret = &fakeWidget{path: base + "14", role: rolePassword, name: "Password", states: shownStates(stateFocusable),
		rect:  [4]int32{200, 190, 100, 30},
		faces: []string{component, text, editable}, text: "hunter2"}
	cells := []*fakeWidget{}
	for i, n := range []string{"one", "two"} {
		cells = append(cells, &fakeWidget{path: base + "2" + string(rune('0'+i)), role: 56, name: n, transient: true,
			faces:   []string{component, action},
			actions: []string{"expand or contract", "edit", "activate"}, states: shownStates(), rect: [4]int32{110, int32(230 + 20*i), 200, 20}})
	}
	a.table = &fakeWidget{path: base + "15", role: roleTable, name: "Rows", states: shownStates(stateManages), rect: [4]int32{110, 230,
		200, 100},
		faces: []string{component, "org.a11y.atspi.Table"}, kids: cells}
	a.item = &fakeWidget{path: base + "17", role: 35, name: "Quit", states: []uint{stateEnabled, stateSensitive, stateVisible},
		rect: [4]int32{math.MinInt32, math.MinInt32, 1, 1}, faces: []string{component, action}, actions: []string{"click"}}
	menu := &fakeWidget{path: base + "16", role: 33, name: "File", states: shownStates(), rect: [4]int32{100, 50, 40, 20},
		faces:   []string{component, action},
		actions: []string{"click"}, kids: []*fakeWidget{a.item}}
	bar := &fakeWidget{path: base + "18", role: roleMenuBar, states: shownStates(), rect: [4]int32{100, 50, 400, 20}, faces: box,
		kids: []*fakeWidget{menu}}
	a.off = &fakeWidget{path: base + "19", role: 43, name: "Off", states: []uint{stateShowing, stateVisible}, rect: [4]int32{110, 340, 80, 30},
		faces: []string{component, action}, actions: []string{"click"}, refuses: true}
	a.spin = &fakeWidget{path: base + "30", role: 52, states: shownStates(stateFocusable, stateEditable), rect: [4]int32{110, 380, 80, 30},
		faces: []string{component, action, value, text, editable}, actions: []string{"activate"}, number: 7.5, text: "7.50"}
	a.window = &fakeWidget{path: base + "1", role: 23, name: "Test App", states: shownStates(stateActive), rect: [4]int32{100, 50, 400,
		400}, faces: box,
		kids: []*fakeWidget{bar, a.toggle, a.slider, a.label, a.entry, a.secret, a.table, a.off, a.spin}}
	popup := &fakeWidget{path: base + "2", role: 69, states: []uint{stateEnabled}, faces: box}
	a.root = &fakeWidget{path: base + "root", role: roleApplication, name: "test", kids: []*fakeWidget{a.window, popup}}
	a.program = &fakeProgram{name: ":1.5", pid: os.Getpid(), toolkit: "gtk", version: "3.24.38", cache: "gtk3", root: a.root}
	return a
}

// fakeDesktop is the real desktop on a fake bus.
func fakeDesktop(f *fakeBus, change func(*Options)) *Desktop {
	o := Options{Dial: f.dial, blind: true, cacheWait: time.Nanosecond, Patience: 20 * time.Millisecond, Answer: time.Minute,
		Getenv: func(name string) string {
			return map[string]string{"DBUS_SESSION_BUS_ADDRESS": "fake:session"}[name]
		}}
	if change != nil {
		change(&o)
	}
	return New(o)
}

// openFake opens the test's own process, which the first program of the bus is.
func openFake(t *testing.T, f *fakeBus, change func(*Options)) *App {
	t.Helper()
	app, err := fakeDesktop(f, change).Open(t.Context(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app.(*App)
}

func look(t *testing.T, a *App) *desktop.Tree {
	t.Helper()
	tree, err := a.Look(t.Context(), desktop.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func titled(t *testing.T, tree *desktop.Tree, title string) (found *desktop.Node) {
	t.Helper()
	tree.Walk(func(n *desktop.Node) bool {
		if n.Title == title {
			found = n
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("no %q in\n%s", title, outline(tree))
	}
	return found
}
