package oracle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
	"ios-agent/internal/virtualxcode/world"
)

// What the product cannot do yet. Each is set to true when it can; the oracle then holds it to it.
const (
	// frontIsAsked: each look says which app is in front. Until then the product remembers the app that it launched last, and a step
	// while another one is in front, or that ends with another one in front, is only held to what it says of its inputs.
	frontIsAsked = true
	// meanwhileIsTold: an answer tells what changed on the screen since its session was last shown it.
	meanwhileIsTold = true
)

// lie is an answer that the world's record contradicts.
type lie struct {
	class   string
	text    string
	history []string // of the walk so far
	record
}

// String is the lie with the answer and the world's record.
func (l lie) String() string {
	answer, _ := json.Marshal(l.answer)
	const most = 3000
	if len(answer) > most {
		answer = append(answer[:most], "…"...)
	}
	text := fmt.Sprintf("step %d, %s: %s\nanswer: %s\nworld: %s, then %s in front; %d inputs; happened: %v", l.number, l.class, l.text, answer,
		l.before.front, l.after.front, len(l.inputs), l.spent)
	for _, i := range l.inputs {
		text += "\n  " + describe(i)
	}
	return text + "\nworld, from the first input to the end:\n  " + strings.Join(l.record.changes(), "\n  ")
}

// check compares one thing that answers say with the world's record.
type check struct {
	class string
	on    bool
	needs need
	find  func(*walker, record) string // what is wrong; empty: nothing
}

// need is what must be known before an answer can be held to something.
type need int

const (
	always  need = iota
	trueEye      // no look was made to lie
	sameApp      // and the product looks at the app in front
)

func checks() []check {
	return []check{
		{"dispatched", true, always, (*walker).dispatched},
		{"twice", true, always, (*walker).twice},
		{"refused", true, always, (*walker).refusal},
		{"front", frontIsAsked, trueEye, (*walker).front},
		{"crash", frontIsAsked, trueEye, (*walker).crash},
		{"elements", true, sameApp, (*walker).elements},
		{"hittable", true, sameApp, (*walker).hittable},
		{"outcome", true, sameApp, (*walker).outcome},
		{"target", true, sameApp, (*walker).hit},
		{"ref", true, sameApp, (*walker).ref},
		{"text", true, sameApp, (*walker).text},
		{"wait", true, sameApp, (*walker).waited},
		{"launch", true, trueEye, (*walker).launched},
		{"ended", true, sameApp, (*walker).ended},
		{"meanwhile", true, sameApp, (*walker).meanwhile},
		{"shown", true, sameApp, (*walker).shows},
	}
}

// judge holds an answer to the world's record.
func (k *walker) judge(r record) {
	apart := k.target != r.before.front || k.target != r.after.front
	for _, c := range checks() {
		if !c.on || c.needs >= trueEye && r.lied() || c.needs >= sameApp && apart && !frontIsAsked {
			continue
		}
		if text := c.find(k, r); text != "" {
			k.lies = append(k.lies, lie{class: c.class, text: text, record: r, history: slices.Clone(k.history)})
		}
	}
}

// changes are what the device showed differently at the end than when the first input came, ambient left out.
func (r record) changes() []string {
	if len(r.inputs) == 0 {
		return differences(r.before.lines(), r.after.lines())
	}
	return differences(lines(r.inputs[0].Root, r.inputs[0].System), r.after.lines())
}

// untilInput are what the device showed differently when the first input came than when the call did; without an input, at the end.
func (r record) untilInput() []string {
	if len(r.inputs) == 0 {
		return differences(r.before.everything(), r.after.everything())
	}
	return differences(r.before.everything(), moment{root: r.inputs[0].Root, system: r.inputs[0].System}.everything())
}

// action is what is read of an action's answer.
type action struct {
	Outcome ui.Outcome
	Method  string
	Target  *element
	Looked  int `json:"looked_ms"`
}

// action decodes the answer of an action; nil when it is none.
func (r record) action() *action {
	var a action
	if !acting(r.name) || r.answer.Result == nil || json.Unmarshal(r.answer.Result, &a) != nil || a.Outcome == "" {
		return nil
	}
	if a.Target != nil {
		a.Target.Type = ui.TypeOf(a.Target.Type) // as the world calls it
	}
	return &a
}

// After "no" nothing has reached the device, after "yes" something has; and what is called done has been sent.
func (k *walker) dispatched(r record) string {
	f, n := r.answer.Error, len(r.inputs)
	switch {
	case !acting(r.name):
		return ""
	case f != nil && f.Dispatched == "" && !r.lied() && (frontIsAsked || f.Code != fault.AppNotRunning):
		return fmt.Sprintf("%s does not say whether something was sent", f.Code)
	case f != nil && f.Dispatched == fault.NotDispatched && n > 0:
		return fmt.Sprintf("%s says that nothing was sent, and %d inputs arrived", f.Code, n)
	case f != nil && f.Dispatched == fault.Dispatched && n == 0:
		return fmt.Sprintf("%s says that something was sent, and nothing arrived", f.Code)
	case f == nil && n == 0 && !r.lied() && !slices.Contains([]string{"set_value", "hide_keyboard", "scroll_to", "clear", "fill"}, r.name):
		return "it is called done, and nothing arrived"
	}
	return ""
}

// No input is sent twice.
func (k *walker) twice(r record) string {
	most, taps := map[string]int{"tap_element": 1, "double_tap": 2, "long_press": 1, "swipe": 1}[r.name], 0
	for _, i := range r.inputs {
		if slices.Contains([]world.InputKind{world.InputTap, world.InputHold, world.InputSwipe}, i.Kind) {
			taps++
		}
	}
	if most > 0 && taps > most {
		return fmt.Sprintf("%d touches arrived of one %s", taps, r.name)
	}
	return ""
}

// What another session drives is refused; a fault has a code of its own.
func (k *walker) refusal(r record) string {
	if f := r.answer.Error; f != nil && f.Code == fault.Internal {
		return "a fault without a code of its own"
	}
	return ""
}

// A snapshot is of the app in front.
func (k *walker) front(r record) string {
	s := r.snapshot()
	if s == nil || s.App == r.after.front {
		return ""
	}
	if k.by.idb && r.after.system != nil && s.App == world.SpringBoard && s.Truncated < 0 {
		return "" // under an alert of the system idb tells of nothing else, and says that something may be missing
	}
	return fmt.Sprintf("the snapshot is of %s, in front is %s", s.App, r.after.front)
}

// After a crash the home screen is shown.
func (k *walker) crash(r record) string {
	if f := r.answer.Error; r.name == "snapshot" && f != nil && f.Code == fault.AppNotRunning {
		return fmt.Sprintf("the snapshot was refused while %s was in front", r.after.front)
	}
	return ""
}

// The elements of a snapshot are those that the device shows.
func (k *walker) elements(r record) string {
	s := r.snapshot()
	if s == nil {
		return ""
	}
	var told, page []line
	for _, e := range s.Elements {
		one := line{kind: e.Type, id: e.Identifier, label: e.Label, frame: world.Rect(e.Frame)}
		switch {
		case one.id == "" && one.label == "":
		case e.Source == ui.SourceWeb:
			page = append(page, one)
		default:
			told = append(told, one)
		}
	}
	var really, unseen []line
	for _, root := range []*world.Element{r.after.root, r.after.system} {
		if root == nil {
			continue
		}
		for e := range root.All() {
			if e.Identifier != "" || e.Label != "" {
				really = append(really, line{kind: e.Type, id: e.Identifier, label: e.Label, frame: e.Frame})
			}
			for _, drawn := range e.Look.Unseen { // by accessibility; some drivers ask the page
				unseen = append(unseen, line{kind: drawn.Type, id: drawn.Identifier, label: drawn.Label, frame: whole(drawn.Frame)})
			}
		}
	}
	if wrong := differences(unseen, page); len(wrong) > 0 && len(page) > 0 {
		return fmt.Sprintf("the snapshot differs from the page (- is only on the page):\n%s", strings.Join(wrong, "\n"))
	}
	if wrong := differences(really, told); len(wrong) > 0 && s.Truncated == 0 {
		return fmt.Sprintf("the snapshot differs from the screen (- is only on the screen):\n%s", strings.Join(wrong, "\n"))
	}
	return ""
}
