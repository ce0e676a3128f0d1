package outline

import (
	"fmt"
	"slices"

	"ios-agent/internal/ui"
)

// SinceShown lists the changes since the device was last shown, in lines for models, without spontaneous changes. If another app is in
// front, only that is reported: the whole screen is new.
func SinceShown(now *ui.Screen, device string, refs *ui.Refs) []string {
	before := refs.Shown(device)
	switch {
	case refs.Lapsed(device):
		return []string{"this session's last screen is forgotten, so changes since then are unknown"}
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

// Since lists the differences from an earlier look in lines for models, or says in one line that the screen is unchanged, and returns the
// changed elements. It returns false when the earlier look is not remembered: the caller then shows the whole screen and says so.
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
