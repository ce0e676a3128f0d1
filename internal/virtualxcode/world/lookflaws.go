package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ios-agent/internal/virtualxcode/flaw"
)

// rememberScreen stores the present screen of the app in front, for a later look with a stale tree.
func (d *device) rememberScreen(now time.Time) {
	bundle := d.front()
	if v := d.viewOf(bundle, now); v != nil {
		if d.before == nil {
			d.before = map[string]*Element{}
		}
		d.before[bundle] = v.root
	}
}

// spoilLook changes a copy of the accessibility tree according to the faults. The original tree may be shared.
func (w *World) spoilLook(udid string, o *Observation) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan.Nothing() {
		return nil
	}
	d, err := w.device(udid)
	if err != nil {
		return err
	}
	if by, yes := d.flaws(flaw.ClockJump); yes {
		w.clock.(*leaping).leap(by.Seconds("seconds"))
	}
	if o.Root == nil {
		return nil
	}
	if d.flaws.Happens(flaw.SnapshotFails) {
		return unreadable()
	}
	if before := d.before[o.Bundle]; before != nil && d.flaws.Happens(flaw.StaleTree) {
		o.Root = before
	}
	if d.flaws.Happens(flaw.RunnerTree) {
		o.Root, o.Bundle = runnerScreen(o.Root.Frame), d.runner()
	}
	s := spoiler{device: d, was: d.before[o.Bundle]}
	for _, f := range treeFlaws() {
		if f.needs != nil && !s.has(o.Root, f.needs) {
			continue
		}
		if hit, yes := d.flaws(f.name); yes {
			o.Root = copyTree(o.Root)
			f.spoil(s, o.Root, hit)
		}
	}
	return d.tooDeep(o)
}

// runnerName is the name of the test runner in which the agent runs.
const runnerName = "IosAgentUITests-Runner"

func runnerScreen(frame Rect) *Element {
	window := &Element{Type: "Window", Frame: frame, Children: []*Element{{Type: "Other", Frame: frame}}}
	return &Element{Type: "Application", Label: runnerName, Frame: frame, Children: []*Element{window}}
}

// spoiler changes the copy of a tree.
type spoiler struct {
	*device
	was *Element // the tree before the last input, or nil
}

func (spoiler) has(root *Element, match func(*Element) bool) bool {
	for e := range root.All() {
		if match(e) {
			return true
		}
	}
	return false
}

// treeFlaw is one fault of a tree.
type treeFlaw struct {
	name  string
	needs func(*Element) bool // whether the tree has elements that the fault affects; nil: every tree does
	spoil func(spoiler, *Element, flaw.Hit)
}

// treeFlaws are all faults of trees, in order of their check.
func treeFlaws() []treeFlaw {
	return []treeFlaw{
		{flaw.EmptyTree, nil, func(_ spoiler, root *Element, _ flaw.Hit) { root.Children = nil }},
		{flaw.CollapsedTabBar, typed("TabBar"), func(_ spoiler, root *Element, _ flaw.Hit) {
			each(root, typed("TabBar"), func(e *Element) { e.Type, e.Children = "Group", nil })
		}},
		{flaw.MissingSearchField, typed("SearchField"), func(_ spoiler, root *Element, _ flaw.Hit) { without(root, typed("SearchField")) }},
		{flaw.MissingSheet, onSheet, func(_ spoiler, root *Element, _ flaw.Hit) { without(root, onSheet) }},
		{flaw.WithoutLabels, nil, func(_ spoiler, root *Element, _ flaw.Hit) {
			each(root, anyElement, func(e *Element) { e.Label = "" })
		}},
		{flaw.WithoutIdentifiers, nil, func(_ spoiler, root *Element, _ flaw.Hit) {
			each(root, anyElement, func(e *Element) { e.Identifier = "" })
		}},
		{flaw.ButtonsAreOther, typed("Button", "Cell", "Link"), func(_ spoiler, root *Element, _ flaw.Hit) {
			each(root, typed("Button", "Cell", "Link"), func(e *Element) { e.Type = "Other" })
		}},
		{flaw.DuplicateLabels, typed("Button"), spoiler.sameLabels},
		{flaw.HiddenTwin, typed("Button"), spoiler.addTwins},
		{flaw.DeepTree, nil, spoiler.nest},
		{flaw.HugeTree, nil, spoiler.multiply},
		{flaw.StaleFrames, nil, spoiler.oldFrames},
		{flaw.FramesInPixels, nil, spoiler.inPixels},
	}
}

func anyElement(*Element) bool { return true }

func typed(types ...string) func(*Element) bool {
	return func(e *Element) bool { return slices.Contains(types, e.Type) }
}

// onSheet finds the containers of sheets, and sheets of choices.
func onSheet(e *Element) bool {
	return e.Type == "Sheet" || e.Type == "Other" && e.Look.Style == "sheet"
}

func copyTree(e *Element) *Element {
	c := *e
	c.Children = make([]*Element, len(e.Children))
	for i, child := range e.Children {
		c.Children[i] = copyTree(child)
	}
	return &c
}

func each(root *Element, match func(*Element) bool, do func(*Element)) {
	for e := range root.All() {
		if e != root && match(e) {
			do(e)
		}
	}
}

func without(root *Element, match func(*Element) bool) {
	root.Children = slices.DeleteFunc(root.Children, match)
	for _, c := range root.Children {
		without(c, match)
	}
}

func (spoiler) sameLabels(root *Element, _ flaw.Hit) {
	label := ""
	each(root, typed("Button"), func(e *Element) {
		if label == "" {
			label = e.Label
		}
		e.Label = label
	})
}

func (spoiler) addTwins(root *Element, _ flaw.Hit) {
	each(root, func(e *Element) bool { return slices.ContainsFunc(e.Children, typed("Button")) }, func(e *Element) {
		var twins []*Element
		for _, c := range e.Children {
			if c.Type == "Button" {
				twin := *c
				twin.Frame.X += 2 * root.Frame.W
				twin.Children = nil
				twins = append(twins, &twin)
			}
		}
		e.Children = append(twins, e.Children...)
	})
}

func (spoiler) nest(root *Element, hit flaw.Hit) {
	for n := range hit.Int("depth") {
		box := &Element{Type: "Other", Frame: root.Frame, Children: root.Children}
		if hit.Word("called") == "level" {
			box.Identifier = fmt.Sprintf("level-%d", hit.Int("depth")-n)
		}
		root.Children = []*Element{box}
	}
}

func (spoiler) multiply(root *Element, hit flaw.Hit) {
	list := &Element{Type: "CollectionView", Identifier: "huge-list", Frame: Rect{Y: root.Frame.H, W: root.Frame.W, H: root.Frame.H}}
	for i := range hit.Int("nodes") - 1 {
		list.Children = append(list.Children, &Element{Type: "StaticText", Label: fmt.Sprintf("Row %d", i+1),
			Frame: Rect{Y: root.Frame.H + rowHeight*float64(i), W: root.Frame.W, H: rowHeight}})
	}
	root.Children = append(root.Children, list)
}

// oldFrames gives elements their old frames. It matches elements like a reader would: by type, names and order.
func (s spoiler) oldFrames(root *Element, _ flaw.Hit) {
	if s.was == nil {
		return
	}
	type identity struct {
		kind, id, label string
		n               int
	}
	key := func(seen map[identity]int, e *Element) identity {
		k := identity{e.Type, e.Identifier, e.Label, 0}
		k.n = seen[k]
		seen[identity{e.Type, e.Identifier, e.Label, 0}]++
		return k
	}
	frames, seen := map[identity]Rect{}, map[identity]int{}
	for e := range s.was.All() {
		frames[key(seen, e)] = e.Frame
	}
	clear(seen)
	for e := range root.All() {
		if f, was := frames[key(seen, e)]; was {
			e.Frame = f
		}
	}
}

func (s spoiler) inPixels(root *Element, _ flaw.Hit) {
	scale := s.deviceType.Screen.Scale
	for e := range root.All() {
		e.Frame = Rect{e.Frame.X * scale, e.Frame.Y * scale, e.Frame.W * scale, e.Frame.H * scale}
	}
}

// beginLook applies the faults of a look, such as an alert or an animation, and waits until the app answers.
func (w *World) beginLook(ctx context.Context, udid, bundle string, onlyFront bool) error {
	if err := w.disturb(ctx, udid, bundle); err != nil {
		return err
	}
	if !onlyFront {
		if err := w.reachBackground(ctx, udid, bundle); err != nil {
			return err
		}
	}
	return w.untilAnswering(ctx, udid, bundle)
}

func (w *World) disturb(ctx context.Context, udid, bundle string) error {
	d, now, err := w.enter(ctx, udid)
	if err != nil {
		return err
	}
	defer w.mu.Unlock()
	if err := w.mayShutDown(d, now); err != nil {
		return err
	}
	p := d.process(d.Front)
	if p == nil || bundle != "" && bundle != d.Front {
		return w.saveIfDirty(d)
	}
	if alert, yes := d.flaws(flaw.SystemAlert); yes {
		d.ask(systemAlert{Kind: alert.Word("kind"), Bundle: d.Front})
		return w.save(d)
	}
	if !p.Restless && d.flaws.Happens(flaw.EndlessAnimation) {
		p.Restless = true
		p.changed()
		return w.save(d)
	}
	return w.saveIfDirty(d)
}

// mayShutDown shuts a device down if that fault happens.
func (w *World) mayShutDown(d *device, now time.Time) error {
	if !d.flaws.Happens(flaw.DeviceShutsDown) {
		return nil
	}
	d.switchTo(false, now)
	w.notify()
	if err := w.save(d); err != nil {
		return err
	}
	return wrongState("lookup", d.stateAt(now))
}

// spoilScene changes a screenshot according to the faults.
func (d *device) spoilScene(s *Scene) {
	if d.flaws.Happens(flaw.BlackScreenshot) {
		s.Root = nil
	}
	if wrong, yes := d.flaws(flaw.WrongScaleScreenshot); yes {
		s.Device.Screen.Scale = float64(wrong.Int("scale"))
	}
}
