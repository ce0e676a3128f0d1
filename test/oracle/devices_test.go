package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/internal/virtualxcode/world"
	"ios-agent/test/house"
	"ios-agent/test/soak"
)

// TestTheDeviceThatIsMeant takes walks of two sessions over three simulators, through a surface and a driver that the seed chooses: what a
// call does, it does to the device that is meant, and its answer names that one.
func TestTheDeviceThatIsMeant(t *testing.T) {
	walks(t, soak.Share(6, shareOfFleet), meant)
}

func meant(t *testing.T, seed uint64) (history []string) {
	return way{
		seed: seed, steps: fleetSteps(seed), name: func(s step) string { return fmt.Sprintf("{%q, %d}", fleetActs()[s.act].name, s.choice) },
		take: func(t testing.TB, steps []step) taken {
			f := launchFleet(t, seed)
			for i, s := range steps {
				f.take(i, s)
			}
			f.shut()
			return taken{f.history, f.lies}
		},
	}.truly(t)
}

func fleetSteps(seed uint64) []step {
	return draw(rand.New(rand.NewPCG(seed, 3)), stepsOfAWalk, fleetActs(), func(a fleetAct) int { return a.weight })
}

// phone is one of the simulators.
type phone struct{ udid, name string }

// fleet is three simulators, two sessions, and what the rules say of them: which device each session chose, and who claimed which.
type fleet struct {
	*doorway
	door     door
	driver   in // what the sessions choose; nil: the usual driver
	phones   []phone
	session  string
	choice   map[string]string            // by session: the udid of its device
	claims   map[string]string            // by udid: the session that claimed it
	held     map[string]map[string]bool   // by session: what it drove, and may have a lease of
	refs     map[string]map[string]string // by session: the device on which each ref was shown
	order    map[string][]string          // by session: its refs, in the order of their showing
	answered map[string]string            // by session: the device of its last answer
	history  []string
	lies     []told
}

// launchFleet boots three simulators that show the same app. Nobody has chosen one.
func launchFleet(t testing.TB, seed uint64) *fleet {
	t.Helper()
	by := []driver{byAgent, byWDA, byIDB}[seed%3]
	options := house.Options{WDA: by.wda}
	if seed%2 == 0 {
		options.Implicit = -1 // only what is claimed is held
	}
	f := &fleet{
		doorway: &doorway{House: house.New(t, options), t: t}, door: doors()[seed/3%uint64(len(doors()))], session: sessions[0],
		choice: map[string]string{}, claims: map[string]string{}, held: map[string]map[string]bool{}, refs: map[string]map[string]string{},
		order: map[string][]string{}, answered: map[string]string{},
	}
	if by.idb {
		f.driver = in{"driver": "idb"}
	}
	for _, d := range f.World.Devices() {
		known := slices.ContainsFunc(f.phones, func(p phone) bool { // a text with one name must not seem to have the other
			return strings.HasPrefix(d.Name, p.name) || strings.HasPrefix(p.name, d.Name)
		})
		if len(f.phones) < 3 && strings.HasPrefix(d.Name, "iPhone") && !known {
			f.phones = append(f.phones, phone{d.UDID, d.Name})
			f.must(f.World.Boot(t.Context(), d.UDID))
			f.show(d.UDID)
		}
	}
	if len(f.phones) < 3 {
		t.Fatalf("got %v, want three simulators", f.phones)
	}
	f.choose()
	return f
}

func (f *fleet) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// show has a simulator that is on show the app, as another program would.
func (f *fleet) show(udid string) {
	_, err := f.World.Launch(f.t.Context(), udid, conformance, world.LaunchOptions{})
	f.must(err)
}

func (f *fleet) choose() {
	for _, session := range sessions {
		if f.driver != nil {
			f.Must(session, "session_set_defaults", f.driver)
		}
	}
}

// restart ends the daemon and starts another one.
func (f *fleet) restart(meanwhile func()) {
	f.shut()
	f.RestartAfter(meanwhile)
	f.choose()
}

// standing is what can be told of a simulator from outside: what changes when something acts on it.
type standing struct {
	on     bool
	inputs int
	front  string
}

func (f *fleet) standings() map[string]standing {
	f.t.Helper()
	all := map[string]standing{}
	for _, d := range f.World.Devices() {
		s := standing{on: d.State == world.Booted || d.State == world.Booting}
		_, s.inputs = f.World.Inputs(d.UDID, 0)
		if scene, err := f.World.Scene(f.t.Context(), d.UDID); err == nil {
			s.front = scene.Bundle
		}
		all[d.UDID] = s
	}
	return all
}

// doing is a call and what became of the simulators.
type doing struct {
	name   string // of the operation; empty: the product was not asked
	input  in
	named  string // the udid of the device that the call named; empty: none
	meant  string // that the rules say; empty: the session chose none
	answer op.Envelope
	before map[string]standing
	after  map[string]standing
}

// changed are the simulators that are not as they were.
func (d doing) changed() (all []string) {
	for udid, was := range d.before {
		if d.after[udid] != was {
			all = append(all, udid)
		}
	}
	slices.Sort(all)
	return all
}

// of is the device that the answer names.
func (d doing) of() string {
	if d.answer.Meta.Device == nil {
		return ""
	}
	return d.answer.Meta.Device.UDID
}

func (f *fleet) take(number int, s step) {
	f.t.Helper()
	c := &fleetChoice{fleet: f, luck: choice{n: s.choice}}
	act := fleetActs()[s.act]
	if f.choice[f.session] == "" && s.choice%2 == 0 { // a session without a device is refused most things
		act = fleetActs()[0]
	}
	d := f.observe(c, act)
	if f.history = append(f.history, f.tell(number, act.name+" "+c.said, d)); d.name == "" {
		return
	}
	for _, check := range fleetChecks() {
		if text := check.find(f, d); text != "" {
			f.lies = append(f.lies, told{check.class, fmt.Sprintf("step %d, %s: %s\nanswer: %s", number, check.class, text, d.answer.Text())})
		}
	}
	f.learn(d)
}

// observe does something, and asks the world before and after.
func (f *fleet) observe(c *fleetChoice, act fleetAct) doing {
	f.t.Helper()
	d := doing{before: f.standings()}
	d.name, d.input = act.do(c)
	d.named = c.named
	if d.meant = c.named; d.meant == "" {
		d.meant = f.choice[f.session]
	}
	if d.name != "" {
		d.answer = f.door.call(f.doorway, f.session, d.name, d.input)
	}
	d.after = f.standings()
	return d
}

// tell is a step in the history.
func (f *fleet) tell(number int, what string, d doing) string {
	text := fmt.Sprintf("%2d %s %s", number, f.session, strings.TrimSpace(what))
	if d.name != "" {
		raw, _ := json.Marshal(d.input)
		said, _, _ := strings.Cut(d.answer.Text(), "\n")
		text += fmt.Sprintf(": %s by %s %s, meant: %s\n     → %s", d.name, f.door.name, raw, f.called(d.meant), said)
	}
	for _, udid := range d.changed() {
		text += fmt.Sprintf("\n     world: %s: %+v → %+v", f.called(udid), d.before[udid], d.after[udid])
	}
	return text
}

// called is the name of a simulator.
func (f *fleet) called(udid string) string {
	for _, d := range f.World.Devices() {
		if d.UDID == udid {
			return d.Name
		}
	}
	return "no device"
}

// learn remembers what the rules say after an answer: who chose and who claimed which device, and where refs were shown.
func (f *fleet) learn(d doing) {
	of := d.of()
	if of != "" {
		f.answered[f.session] = of
	}
	if f.held[f.session] == nil {
		f.held[f.session] = map[string]bool{}
	}
	if of != "" { // also what fails may have taken a lease
		f.held[f.session][of] = true
	}
	if d.answer.Error != nil {
		return
	}
	switch d.name {
	case "use_device", "boot_device":
		f.choice[f.session] = of
	case "launch_app":
		if d.named != "" {
			f.choice[f.session] = of
		}
	case "claim_device", "take_over_device":
		f.choice[f.session], f.claims[of] = of, f.session
	case "release_device":
		delete(f.claims, of)
		delete(f.held[f.session], of)
		if f.choice[f.session] == of {
			delete(f.choice, f.session)
		}
	case "snapshot":
		f.see(d, of)
	}
}

func (f *fleet) see(d doing, of string) {
	var s snapshot
	if json.Unmarshal(d.answer.Result, &s) != nil {
		return
	}
	if f.refs[f.session] == nil {
		f.refs[f.session] = map[string]string{}
	}
	for _, e := range s.Elements {
		if f.refs[f.session][e.Ref] == "" && (e.Identifier != "" || e.Label != "") {
			f.refs[f.session][e.Ref], f.order[f.session] = of, append(f.order[f.session], e.Ref)
		}
	}
}
