package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/device/pool"
	"ios-agent/internal/driver/appium"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/appiumfront"
	"ios-agent/test/house"
)

// step is one step of a walk. What it does exactly is chosen, by its number, among what is possible when its turn comes, so that a
// walk from which steps were dropped is a walk too.
type step struct {
	act    int // among acts
	choice uint64
}

// String names the step as a walk in the code would.
func (s step) String() string { return fmt.Sprintf("{%q, %d}", acts()[s.act].name, s.choice) }

// driver is what drives the device of a walk.
type driver struct {
	wda    bool // WebDriverAgent, not our agent
	appium bool // through an Appium server in front of it
	idb    bool // idb_companion, which is started for the device
	// guards: it looks afresh before it touches, and tells what can be touched. Otherwise one that is slow, or an animation that seems to
	// have ended, lets a touch meet another element.
	guards   bool
	physical bool // our agent on a physical device, not on a simulator
}

var (
	byAgent   = driver{guards: true}
	byWDA     = driver{wda: true}
	byAppium  = driver{wda: true, appium: true}
	byIDB     = driver{idb: true}
	onADevice = driver{guards: true, physical: true}
)

// walk is made from a seed: its apps and its steps.
type walk struct {
	seed  uint64
	by    driver
	apps  []generated
	steps []step
}

const stepsOfAWalk = 40

func newWalk(seed uint64, by driver) walk {
	r := rand.New(rand.NewPCG(seed, 13))
	w := walk{seed: seed, by: by}
	for n := range madeApps {
		w.apps = append(w.apps, generate(n, r))
	}
	w.steps = draw(r, stepsOfAWalk, acts(), func(a act) int { return a.weight })
	return w
}

// draw chooses the steps of a walk, each act as often as its weight says.
func draw[A any](r *rand.Rand, many int, acts []A, weight func(A) int) (steps []step) {
	total := 0
	for _, a := range acts {
		total += weight(a)
	}
	for range many {
		n := r.IntN(total)
		chosen := slices.IndexFunc(acts, func(a A) bool { n -= weight(a); return n < 0 })
		steps = append(steps, step{chosen, r.Uint64() >> 1})
	}
	return steps
}

// element is one that an answer showed.
type element struct {
	Ref, Type, Label, Identifier string
	Source                       string // who told of it, if not accessibility
	Frame                        struct{ X, Y, W, H float64 }
	Hittable                     *bool
	Enabled                      bool

	app    string       // it belongs to
	twins  int          // how many of its type, identifier and label there were
	places []world.Rect // where they were
	vague  bool         // it was shown by a look that lied
}

// place is where an element must be now, which looks like others: where it was, or where all of them went together.
func (e *element) place(now moment) world.Rect {
	at, places := world.Rect(e.Frame), []world.Rect{}
	for _, l := range now.everything() {
		if l.kind == e.Type && l.id == e.Identifier && l.label == e.Label {
			places = append(places, l.frame)
		}
	}
	if one(e.places) && one(places) { // however many, and of whichever size, as after a rotation
		return places[0]
	}
	if len(places) != len(e.places) || len(places) == 0 {
		return at
	}
	dx, dy := places[0].X-e.places[0].X, places[0].Y-e.places[0].Y
	for i, p := range places {
		if p.X-e.places[i].X != dx || p.Y-e.places[i].Y != dy {
			return at
		}
	}
	at.X, at.Y = at.X+dx, at.Y+dy
	return at
}

// one reports whether places are all the same.
func one(places []world.Rect) bool { return len(slices.Compact(slices.Clone(places))) == 1 }

// walker walks. It knows what a client knows, and asks the world for what is true.
type walker struct {
	*house.House
	t       testing.TB
	by      driver
	driver  in // what the sessions choose; nil: the usual driver
	udid    string
	apps    []generated
	session string
	shown   map[string][]*element          // by session: what its last snapshot showed
	refs    map[string]map[string]*element // by session: all refs it was given
	seen    map[string]*shown              // by session
	fresh   bool                           // the session's last snapshot shows what is there
	refused bool                           // the last operation was, because another session holds the device
	plateau time.Time                      // when an animation last stood still halfway
	target  string                         // the app that the product looks at, see frontIsAsked
	history []string
	lies    []lie
}

// sessions drive the device in turn.
var sessions = []string{"ann", "bob"}

// begin boots a device for a walk, or starts the agent of a physical one.
func begin(t testing.TB, by driver) *walker {
	t.Helper()
	options, clock := house.Options{WDA: by.wda && !by.appium}, &lateClock{}
	if by.appium {
		options.Alternates = []pool.Alternate{appium.New(appium.Options{Clock: clock})}
	}
	k := &walker{
		House: house.New(t, options), t: t, by: by, session: sessions[0], target: world.SpringBoard,
		shown: map[string][]*element{}, refs: map[string]map[string]*element{}, seen: map[string]*shown{},
	}
	if by.physical {
		k.udid = house.Physical
		k.start()
	} else {
		k.udid = k.Boot(k.session, "")
	}
	if clock.World = k.World; by.appium {
		k.throughAppium()
	}
	if by.idb {
		k.driver = in{"driver": "idb"}
	}
	k.choose()
	return k
}

// lateClock is the time of a world that is made later.
type lateClock struct{ *virtualxcode.World }

// throughAppium has the sessions choose an Appium server in front of the device's WebDriverAgent.
func (k *walker) throughAppium() {
	k.t.Helper()
	server := httptest.NewServer(appiumfront.New(k.World, k.udid))
	k.t.Cleanup(server.Close)
	k.driver = in{"driver": "appium", "appiumUrl": server.URL}
}

// choose sets the driver of each session, if it is not the usual one. A new daemon has to be told again.
func (k *walker) choose() {
	k.t.Helper()
	for _, session := range sessions {
		if k.driver != nil {
			k.Must(session, "session_set_defaults", k.driver)
		}
	}
}

// start starts the agent of a physical device, where none comes by itself. Another session may have the device.
func (k *walker) start() {
	k.t.Helper()
	how := in{"udid": k.udid, "team": "A1B2C3D4E5"}
	if e := k.Call(k.session, "agent_start", how); e.Error != nil && e.Error.Code == fault.DeviceClaimed {
		k.Must(k.session, "take_over_device", in{"udid": k.udid, "reason": "to start its agent"})
	}
	k.Must(k.session, "agent_start", how)
}

// take walks the steps. The walker knows the lies that were told.
func (w walk) take(t testing.TB) *walker {
	t.Helper()
	k := begin(t, w.by)
	k.install(w.apps)
	for i, s := range w.steps {
		k.take(i, s)
	}
	return k
}

// install puts the apps of a walk on its device.
func (k *walker) install(apps []generated) {
	k.t.Helper()
	k.apps = apps
	for _, a := range apps {
		path, err := a.write(k.t.TempDir())
		if err != nil {
			k.t.Fatal(err)
		}
		k.Must(k.session, "install_app", in{"app_path": path, "udid": k.udid})
	}
}

type in = map[string]any

// record is a step and what the world says about it.
type record struct {
	number        int
	what          string // in the history
	name          string // of the operation; empty when the product was not asked
	input         in
	answer        op.Envelope
	notices       []string // of the answer
	before, after moment
	inputs        []world.Input // that reached the device meanwhile
	spent         []string      // faults that happened meanwhile
}

// take takes one step. As a client would, it mostly looks before it touches what it saw before something happened, and takes
// over what another session holds.
func (k *walker) take(number int, s step) {
	k.t.Helper()
	c, act := &choice{walker: k, n: s.choice}, acts()[s.act]
	switch {
	case !frontIsAsked && k.target != k.now().front && s.choice%2 == 0: // a product that is lost says little that can be checked
		act = launching()
	case k.refused && s.choice%8 > 1:
		act = takingOver()
	case act.aims && !k.fresh && s.choice%8 > 1:
		k.perform(number, c, looking())
	}
	k.perform(number, c, act)
}

// perform does something, and judges the answer.
func (k *walker) perform(number int, c *choice, a act) {
	k.t.Helper()
	r := k.observe(number, c, a)
	k.history = append(k.history, k.tell(r))
	if r.name != "" {
		k.judge(r)
		k.learn(r)
	}
	if r.answer.Error != nil && r.answer.Error.Code == fault.AgentNotRunning {
		k.start()
	}
	k.refused = r.answer.Error != nil && r.answer.Error.Code == fault.DeviceClaimed
	if k.fresh = r.name == "snapshot" || k.fresh && r.name == "" && len(r.changes()) == 0; r.name == "snapshot" && r.answer.Error != nil {
		k.fresh = false
	}
}

// observe does something, and asks the world before and after.
func (k *walker) observe(number int, c *choice, a act) record {
	k.t.Helper()
	r := record{number: number, before: k.now()}
	r.name, r.input = a.do(c)
	r.what = strings.TrimSpace(a.name + " " + c.said)
	if r.name != "" {
		r.input["udid"] = k.udid
		r.answer = k.Call(k.session, r.name, r.input)
		r.notices = notices(r.answer)
	}
	r.after = k.now()
	r.inputs, _ = k.World.Inputs(k.udid, r.before.inputs)
	if r.spent = spent(r.before, r.after); slices.Contains(r.spent, flaw.AnimationPlateau) {
		k.plateau = r.after.at
	}
	return r
}

// notices are what an answer tells besides its result.
func notices(e op.Envelope) (all []string) {
	raw, _ := json.Marshal(e.Meta)
	var meta struct{ Notices []json.RawMessage }
	_ = json.Unmarshal(raw, &meta) // a field that is not there says nothing
	for _, n := range meta.Notices {
		all = append(all, strings.ToLower(string(n)))
	}
	return all
}

// now is what the world says of itself.
func (k *walker) now() moment {
	k.t.Helper()
	scene, err := k.World.Scene(k.t.Context(), k.udid)
	if err != nil {
		k.t.Fatal(err)
	}
	m := moment{at: scene.Time, front: scene.Bundle, root: scene.Root, system: scene.System, faults: k.World.Faults()}
	_, m.inputs = k.World.Inputs(k.udid, 0)
	return m
}

// tell is a step in the history.
func (k *walker) tell(r record) string {
	text := fmt.Sprintf("%2d %s %s", r.number, k.session, r.what)
	if r.name != "" {
		raw, _ := json.Marshal(r.input)
		said, _, _ := strings.Cut(r.answer.Text(), "\n")
		text += fmt.Sprintf(": %s %s\n     → %s", r.name, raw, said)
		if f := r.answer.Error; f != nil {
			text += fmt.Sprintf(" (%s, dispatched %q)", f.Code, f.Dispatched)
		}
	}
	text += fmt.Sprintf("\n     world: %s in front, %d inputs", r.after.front, len(r.inputs))
	for _, i := range r.inputs {
		text += fmt.Sprintf(", %s", describe(i))
	}
	if len(r.spent) > 0 {
		text += fmt.Sprintf(", %v happened", r.spent)
	}
	return text
}

func describe(i world.Input) string {
	if len(i.Path) == 0 {
		return string(i.Kind) + " in " + i.Front
	}
	e := i.Path[len(i.Path)-1]
	return fmt.Sprintf("%s at %g,%g on %s %q %q in %s", i.Kind, i.From.X, i.From.Y, e.Type, e.Identifier, e.Label, i.Front)
}

// snapshot is what is read of a snapshot.
type snapshot struct {
	App       string
	Truncated int
	Elements  []*element
}

// snapshot decodes the answer of a snapshot; nil when it is none.
func (r record) snapshot() *snapshot {
	var s snapshot
	if r.name != "snapshot" || r.answer.Error != nil || json.Unmarshal(r.answer.Result, &s) != nil {
		return nil
	}
	twins := map[string][]world.Rect{}
	name := func(e *element) string { return e.Type + "\n" + e.Identifier + "\n" + e.Label }
	for _, e := range s.Elements {
		e.Type = ui.TypeOf(e.Type) // as the world calls it
		twins[name(e)] = append(twins[name(e)], world.Rect(e.Frame))
	}
	for _, e := range s.Elements {
		e.places = twins[name(e)]
		e.twins = len(e.places)
	}
	return &s
}

// learn remembers what a client is told.
func (k *walker) learn(r record) {
	if r.answer.Error != nil && r.answer.Result == nil {
		k.seen[k.session] = k.shownBy(r)
		return
	}
	switch r.name {
	case "snapshot":
		if s := r.snapshot(); s != nil {
			k.look(*s, r)
		}
	case "launch_app":
		k.target = r.input["bundle_id"].(string)
	case "press_button":
		if r.answer.Error == nil {
			k.target = world.SpringBoard
		}
	}
	k.seen[k.session] = k.shownBy(r)
}

// shown is the world when a session was last shown it.
type shown struct {
	after moment // at the end of the call
	moved bool   // something that moves by itself did during the call: it may have been shown something older of that
}

// shownBy is what the session knows of the screen after an answer. Nil: the session went elsewhere by itself, or a fault made a look
// lie, so that nobody can say what it was shown.
func (k *walker) shownBy(r record) *shown {
	switch {
	case len(r.spent) > 0 || slices.Contains([]string{"open", "terminate_app", "boot_device"}, r.name):
		return nil
	case r.told() && (looks(r.name) || r.name == "launch_app" || r.name == "wait"):
		return &shown{r.after, len(differences(r.before.restless(), r.after.restless())) > 0}
	case r.answer.Error != nil && len(r.notices) > 0:
		return nil // what it told counts as shown
	}
	return k.seen[k.session]
}

// told reports whether the answer has a result, as that of a wait that ran out of time has: it shows what changed until then.
func (r record) told() bool { return r.answer.Error == nil || r.answer.Result != nil }

func (k *walker) look(s snapshot, r record) {
	if k.refs[k.session] == nil {
		k.refs[k.session] = map[string]*element{}
	}
	for _, e := range s.Elements {
		e.app, e.vague = s.App, r.lied()
		k.refs[k.session][e.Ref] = e
	}
	k.shown[k.session], k.target = s.Elements, s.App
}

// lied reports whether a look was made to lie during the step.
func (r record) lied() bool {
	return slices.ContainsFunc(virtualxcode.KnownFaults(), func(f virtualxcode.FaultKind) bool {
		return lies(f) && slices.Contains(r.spent, f.Name)
	})
}

// looks reports whether an operation shows its session the screen.
func looks(name string) bool { return name == "snapshot" || acting(name) }

// acting reports whether an operation sends an input.
func acting(name string) bool {
	return !slices.Contains([]string{
		"", "snapshot", "wait", "launch_app", "open", "take_over_device", "release_device", "terminate_app", "push",
	}, name)
}

// choice chooses for one step.
type choice struct {
	*walker
	n    uint64
	said string // what was chosen, for the history
}

// of chooses one of so many.
func (c *choice) of(many int) int {
	one := int(c.n % uint64(many))
	c.n = c.n/uint64(many) ^ c.n<<40>>1
	return one
}

func pick[T any](c *choice, all []T) T { return all[c.of(len(all))] }

// armable are the faults about agents, looks, touches and texts, and how often each is added. Left out are those that are waited
// for in real time, and those of power and tools.
func armable(by driver) (all []virtualxcode.Fault) {
	waited := []string{
		flaw.AgentHang, flaw.AgentStuck, flaw.AgentStall, flaw.AgentNeverReady, flaw.AgentFloodsOutput, flaw.ClockJump, flaw.AgentOldBuild,
	}
	occasions := []string{
		"an input", "any request", "the answer to a look", "a hello", "a start of the agent", "a look", "a look at a running app", "a tap",
		"a swipe", "typing", "a tap on a switch", "a tap in an app", "a change of screens", "a launch", "an openurl",
		"a tap that brings up the keyboard",
	}
	if by.wda {
		occasions = append(occasions, "a command of a session of WebDriverAgent", "a use of an element that WebDriverAgent found",
			"a command of WebDriverAgent", "a source of WebDriverAgent")
	}
	if by.idb {
		occasions = append(occasions, "a call of idb_companion", "an input of idb_companion", "a read of idb_companion inside the simulator")
		waited = append(waited, flaw.IDBSilent)
		all = append(all, virtualxcode.Fault{Name: flaw.IDBDies, Set: map[string]string{"when": "before"}, After: 3})
	}
	for _, kind := range virtualxcode.KnownFaults() {
		if slices.Contains(occasions, kind.Each) && !slices.Contains(waited, kind.Name) && kind.Name != flaw.LaunchFails {
			all = append(all, virtualxcode.Fault{Name: kind.Name})
		}
	}
	all = append(all, virtualxcode.Fault{Name: flaw.AgentException, Set: map[string]string{"when": "before"}})
	if by.wda {
		all = append(all, virtualxcode.Fault{Name: flaw.WDAPortGone, Set: map[string]string{"when": "before"}, After: 3})
	}
	return all
}

// pass lets the world's time pass.
func (c *choice) pass() (string, in) {
	long := time.Duration(c.of(30)) * 100 * time.Millisecond
	c.said = long.String()
	if err := c.World.Sleep(c.t.Context(), long); err != nil {
		c.t.Fatal(err)
	}
	return "", nil
}
