package outline

import (
	"fmt"
	"slices"

	"ios-agent/internal/ui"
)

// SinceShown says what changed since the device was shown last, in lines for models, without what changes by itself. Of another app in
// front that alone is said: all of it is new.
func SinceShown(now *ui.Screen, device string, refs *ui.Refs) []string {
	before := refs.Shown(device)
	switch {
	case refs.Lapsed(device):
		return []string{"the screen this session was shown before is forgotten; changes since then are not told"}
	case before == nil || before.Hash() == now.Hash() && before.App == now.App:
		return nil
	case before.App != now.App:
		return []string{fmt.Sprintf("~ app: %s → %s", before.App, now.App)}
	}
	d := refs.Lasting(device, before, now)
	if outcome, _ := d.Judge(nil); outcome == ui.Unchanged {
		return nil
	}
	lines := Changes(d, device, refs)
	hidden := func(n *ui.Node) bool { return n.Tells() && !n.Visible() }
	if len(lines) == 0 && (slices.ContainsFunc(d.Nodes(), hidden) || slices.ContainsFunc(d.Removed, hidden)) {
		lines = append(lines, "~ only elements that are out of sight changed")
	}
	return lines
}

// Since says what is different from an earlier look, in lines for models; one line when nothing is; and which elements are. It is
// false when the earlier look is not remembered: the caller shows the whole screen then, and says so.
func Since(s *ui.Screen, hash, device string, refs *ui.Refs) (lines []string, nodes []*ui.Node, known bool) {
	before := refs.Recall(device, hash)
	if before == nil {
		return nil, nil, false
	}
	diff := ui.Compare(before, s)
	if lines = Changes(diff, device, refs); len(lines) == 0 {
		lines = []string{"unchanged since " + hash}
	}
	return append([]string{Header(s)}, lines...), diff.Nodes(), true
}
