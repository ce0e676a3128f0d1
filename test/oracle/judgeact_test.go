package oracle_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// is reports whether an element of the world is one that was shown. What has an identifier may change its label.
func (e *element) is(of *world.Element) bool {
	if strings.TrimPrefix(e.Type, "XCUIElementType") != of.Type || e.Identifier != of.Identifier {
		return false
	}
	return e.Identifier != "" || e.Label == of.Label
}

// shows reports whether an element of the world is the one that is shown at this moment.
func (e *element) shows(of *world.Element) bool {
	at := of.Frame
	if e.Source == ui.SourceWeb {
		at = whole(at)
	}
	return e.is(of) && e.Label == of.Label && world.Rect(e.Frame) == at
}

// whole is a frame as a page tells it: in whole points.
func whole(r world.Rect) world.Rect {
	return world.Rect{X: math.Round(r.X), Y: math.Round(r.Y), W: math.Round(r.W), H: math.Round(r.H)}
}

// reached reports whether a finger on a path touches the element.
func (e *element) reached(path []*world.Element) bool {
	return slices.ContainsFunc(path, func(of *world.Element) bool { return e.is(of) })
}

// What a snapshot calls hittable a finger reaches, and what it calls out of reach it does not.
func (k *walker) hittable(r record) string {
	s := r.snapshot()
	if s == nil || k.stoodStill(r) {
		return ""
	}
	for _, e := range s.Elements {
		if !slices.Contains(touchable, e.Type) || e.Type == "Other" || e.Identifier == "" && e.Label == "" || e.Hittable == nil {
			continue
		}
		switch reachable := k.reachable(e, *e.Hittable); {
		case *e.Hittable && !reachable:
			return fmt.Sprintf("%s %q %q is called hittable, and no finger reaches it", e.Type, e.Identifier, e.Label)
		case !*e.Hittable && e.Enabled && reachable && e.twins == 1:
			return fmt.Sprintf("%s %q %q is called out of reach, and a finger on its centre reaches it", e.Type, e.Identifier, e.Label)
		}
	}
	return ""
}

// reachable reports whether a finger on an element's centre, or somewhere on it, reaches it.
func (k *walker) reachable(e *element, somewhere bool) bool {
	steps := 1
	if somewhere {
		steps = 7
	}
	for i := range steps {
		for j := range steps {
			at := world.Point{X: e.Frame.X + e.Frame.W*(float64(i)+0.5)/float64(steps), Y: e.Frame.Y + e.Frame.H*(float64(j)+0.5)/float64(steps)}
			path, err := k.World.Under(k.t.Context(), k.udid, at)
			if err == nil && slices.ContainsFunc(path, e.shows) {
				return true
			}
		}
	}
	return false
}

// "changed" is said only when something else than ambient changed, "unchanged" only when nothing did until the answer.
func (k *walker) outcome(r record) string {
	a := r.action()
	if a == nil || r.slow() && !k.by.guards || a.Target != nil && slices.Contains(ambientNames, a.Target.Identifier) {
		return "" // an element that goes by itself may have gone because it was touched
	}
	changed := k.visible(r)
	if passed := max(r.after.at.Sub(r.before.at).Milliseconds(), r.answer.Meta.TookMS); int64(a.Looked) > passed+1 {
		return fmt.Sprintf("a change was looked for during %d ms, and only %d passed", a.Looked, passed)
	}
	same := len(differences(r.before.lines(), r.after.lines())) == 0
	switch {
	case a.Outcome == ui.Changed && len(changed) == 0 && same:
		return "it is called changed, and nothing did but what changes by itself"
	case a.Outcome == ui.Unchanged && same && r.slow(): // what came and went before the touch is no effect of it
	case a.Outcome == ui.Unchanged && len(changed) > 0 && len(r.inputs) > 0:
		return fmt.Sprintf("it is called unchanged for %d ms, and this changed:\n%s", a.Looked, strings.Join(changed, "\n"))
	}
	return ""
}

// visible are the changes that the driver can see. Under an alert of the system idb sees the alert alone, says so in its looks, and no
// input reaches anything else: what moves below moves by itself.
func (k *walker) visible(r record) []string {
	if len(r.inputs) > 0 && k.hidden(moment{system: r.inputs[0].System}) && k.hidden(r.after) {
		return differences(lines(r.inputs[0].System), lines(r.after.system))
	}
	return r.changes()
}

// hidden reports whether the driver sees nothing of the app.
func (k *walker) hidden(m moment) bool { return k.by.idb && m.system != nil }

// slow reports whether an agent took so long that the screen may have changed between its look and its touch.
func (r record) slow() bool {
	return slices.ContainsFunc([]string{flaw.AgentSlow, flaw.AgentWaitsForIdle, flaw.WDASlowSource},
		func(name string) bool { return slices.Contains(r.spent, name) })
}

// stoodStill reports whether an animation may only seem to have ended: the page that slides covers what nobody can tell.
func (k *walker) stoodStill(r record) bool {
	const ends = 2 * time.Second // after it stood still
	return r.before.at.Sub(k.plateau) < ends
}

// halfway is stoodStill for a touch that nobody guards.
func (k *walker) halfway(r record) bool { return !k.by.guards && k.stoodStill(r) }

// touches are the operations whose one touch goes to their target.
var touches = []string{"tap_element", "double_tap", "long_press"}

// An accepted touch meets the element that is named in the answer.
func (k *walker) hit(r record) string {
	a := r.action()
	if a == nil || a.Target == nil || len(r.inputs) == 0 || !slices.Contains(touches, r.name) {
		return ""
	}
	if r.slow() && !k.by.guards || k.halfway(r) {
		return ""
	}
	if first := r.inputs[0]; !a.Target.reached(first.Path) {
		return fmt.Sprintf("%s %q %q was meant, and not met: %s", a.Target.Type, a.Target.Identifier, a.Target.Label, describe(first))
	}
	return ""
}

// A ref is the element that it was given to, or expired.
func (k *walker) ref(r record) string {
	a, ref := r.action(), fmt.Sprint(r.input["ref"])
	was := k.refs[k.session][ref]
	if a == nil || a.Target == nil || was == nil || was.vague {
		return ""
	}
	now := a.Target
	named := now.Identifier == was.Identifier && now.Type == was.Type && (was.Identifier != "" || now.Label == was.Label)
	if !named {
		return fmt.Sprintf("%s was %s %q %q, and is %s %q %q", ref, was.Type, was.Identifier, was.Label, now.Type, now.Identifier, now.Label)
	}
	if len(r.inputs) == 0 || r.inputs[0].System != nil {
		return ""
	}
	if first := r.inputs[0]; first.Front != was.app {
		return fmt.Sprintf("%s was an element of %s, and the touch went to %s", ref, was.app, first.Front)
	}
	at := was.place(r.before)
	if first := r.inputs[0]; was.twins > 1 && slices.Contains(touches, r.name) && !at.Contains(first.From) {
		return fmt.Sprintf("%s was one of %d that nothing tells apart, at %v, and the finger came down at %v", ref, was.twins, at, first.From)
	}
	return ""
}

// What is called typed stands in the field.
func (k *walker) text(r record) string {
	a, want := r.action(), fmt.Sprint(r.input["text"])
	if a == nil || a.Target == nil || a.Target.Identifier == "" || r.answer.Error != nil || len(r.inputs) == 0 ||
		r.name != "type_text" && r.name != "fill" {
		return ""
	}
	field := r.after.find(a.Target.Identifier)
	switch {
	case field == nil || a.Outcome != ui.Changed:
		return ""
	case field.Type == "SecureTextField":
		if utf8.RuneCountInString(field.Value) < utf8.RuneCountInString(want) {
			return fmt.Sprintf("%q is called typed, and the field holds %q", want, field.Value)
		}
	case r.name == "fill" && field.Value != want, r.name == "type_text" && field.Value != held(r.inputs[0], field.Identifier)+want:
		return fmt.Sprintf("%q is called typed, and the field holds %q", want, field.Value)
	}
	return ""
}

// held is what a field held when an input came.
func held(i world.Input, id string) string {
	if f := (moment{root: i.Root}).find(id); f != nil && f.Value != f.Placeholder {
		return f.Value
	}
	return ""
}

// What was waited for is there, or gone.
func (k *walker) waited(r record) string {
	var told struct{ Matched bool }
	condition := fmt.Sprint(r.input["condition"])
	if r.name != "wait" || r.answer.Error != nil || json.Unmarshal(r.answer.Result, &told) != nil || condition == "settled" {
		return ""
	}
	id := fmt.Sprint(r.input["identifier"])
	there, was := r.after.find(id) != nil, r.before.find(id) != nil
	met := func(there bool) bool { return there == (condition == "exists") }
	if told.Matched && !met(there) && !met(was) || !told.Matched && met(there) {
		return fmt.Sprintf("waiting for %s %s: matched is %t, it was there: %t, and it is: %t", id, condition, told.Matched, was, there)
	}
	return ""
}

// An app that was launched is in front, and so is the one whose link was opened, unless the system asks first.
func (k *walker) launched(r record) string {
	if r.answer.Error != nil || r.name != "launch_app" && r.name != "open" || slices.Contains(r.spent, flaw.OpenURLAsks) {
		return ""
	}
	wanted := r.input["bundle_id"]
	if r.name == "open" {
		scheme, _, _ := strings.Cut(fmt.Sprint(r.input["url"]), ":")
		wanted = schemes()[scheme]
	}
	if r.after.front != wanted {
		return fmt.Sprintf("%v is called launched, and in front is %s", wanted, r.after.front)
	}
	return ""
}

// schemes are the apps of links.
func schemes() map[string]string {
	all := map[string]string{"shop": shop, "prefs": settings, "conformance": conformance}
	for n := range madeApps {
		all[scheme(n)] = bundle(n)
	}
	return all
}

// An app that is called ended is not in front.
func (k *walker) ended(r record) string {
	if f := r.answer.Error; f != nil && f.Code == fault.AppEnded && r.after.front == r.before.front {
		return fmt.Sprintf("%s is called ended, and is in front", r.after.front)
	}
	return ""
}

// An answer tells what changed since its session was last shown the screen, and nothing when nothing did. Answers without notices
// are not held to it until meanwhileIsTold.
func (k *walker) meanwhile(r record) string {
	last := k.seen[k.session]
	if last == nil || !looks(r.name) || r.answer.Error != nil || len(r.spent) > 0 {
		return ""
	}
	told := slices.ContainsFunc(r.notices, func(n string) bool { return strings.Contains(n, "meanwhile") })
	changed := differences(last.after.appLines(), r.before.appLines())
	switch {
	case told && len(r.changes()) == 0 && len(differences(last.after.everything(), r.before.everything())) == 0 && !last.moved &&
		len(r.untilInput()) == 0: // a look that waits until the screen is still takes so long that something happens before the touch
		return "something is told of that did not happen meanwhile:\n" + strings.Join(r.notices, "\n")
	case meanwhileIsTold && !told && len(changed) > 0 && last.after.front == r.before.front && !k.hidden(last.after) && !k.hidden(r.before):
		return "nothing is told of what happened meanwhile:\n" + strings.Join(changed, "\n")
	}
	return ""
}

// The answer of a wait, also of one that ran out of time, shows what changed since its session was last shown the screen.
func (k *walker) shows(r record) string {
	last := k.seen[k.session]
	if last == nil || r.name != "wait" || !r.told() || len(r.spent) > 0 || last.after.front != r.after.front || k.hidden(last.after) ||
		k.hidden(r.after) || len(differences(r.before.appLines(), r.after.appLines())) > 0 {
		return "" // what moved during the wait may have moved back
	}
	var told struct {
		Changes []string
		Outline string
	}
	_ = json.Unmarshal(r.answer.Result, &told) // a result without either shows nothing
	if changed := differences(last.after.appLines(), r.after.appLines()); len(changed) > 0 && len(told.Changes) == 0 && told.Outline == "" {
		return "the wait shows nothing of what changed since the screen was shown:\n" + strings.Join(changed, "\n")
	}
	return ""
}
