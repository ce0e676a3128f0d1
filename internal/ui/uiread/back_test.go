package uiread_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/ui"
	"ios-agent/internal/ui/flat"
	"ios-agent/internal/ui/outline"
	"ios-agent/internal/ui/uiread"
)

// readsBack renders a screen in every way and reads each rendering again.
func readsBack(t *testing.T, s *ui.Screen) {
	t.Helper()
	snapshot := again(t, s.Snapshot("", &ui.Refs{}, time.Time{}))
	if !equal(s, snapshot) {
		t.Error("the snapshot does not give the same tree")
	}
	nested := again(t, flat.Of(s, "", true))
	plain := again(t, flat.Of(s, "", false))
	for name, got := range map[string]*uiread.Tree{"nested": nested, "flat": plain} {
		if got.Nodes() != len(s.Nodes()) {
			t.Errorf("%s: %d elements of %d", name, got.Nodes(), len(s.Nodes()))
		}
	}
	i := 0
	for _, root := range plain.Roots {
		root.Walk(func(n *ui.Node) bool {
			if want := s.Nodes()[i]; n.Label != want.Label || n.Identifier != want.Identifier || n.Value != want.Value || n.Type != want.Type {
				t.Errorf("flat: element %d is %q, want %q", i, n.Describe(), want.Describe())
			}
			i++
			return true
		})
	}
	for _, how := range []outline.Choice{{}, {All: true}} {
		text := outline.Of(s, how, "", &ui.Refs{})
		tree, err := uiread.Read([]byte(text))
		if err != nil {
			t.Errorf("the outline: %v\n%s", err, text)
			return
		}
		lines := 0
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "- ") {
				lines++
			}
		}
		if tree.Nodes() != lines || how.All && lines != len(s.Nodes()) {
			t.Errorf("the outline has %d lines of %d elements, read back %d", lines, len(s.Nodes()), tree.Nodes())
		}
		// Read back and written again it says the same: roles, names, states, values, nesting.
		if lost := missing(text, outline.Of(tree.Screen(), outline.Choice{All: true}, "", &ui.Refs{})); lost != "" {
			t.Errorf("lost from the outline: %s", lost)
		}
	}
}

// missing is the first line of an outline whose element, name and value are not in another.
func missing(want, got string) string {
	have := map[string]int{}
	for line := range strings.SplitSeq(got, "\n") {
		have[bare(line)]++
	}
	for line := range strings.SplitSeq(want, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "- ") {
			continue
		}
		if have[bare(line)]--; have[bare(line)] < 0 {
			return line
		}
	}
	return ""
}

// bare is a line of an outline without refs, and without states that follow from frames.
func bare(line string) string {
	line = strings.TrimSpace(line)
	for _, state := range []string{" [ref=", " [off-screen]", " [covered]", " [content hidden]"} {
		if i := strings.Index(line, state); i >= 0 {
			j := strings.Index(line[i:], "]")
			line = line[:i] + line[i+j+1:]
		}
	}
	if i := strings.Index(line, "% visible]"); i >= 0 {
		j := strings.LastIndex(line[:i], " [")
		line = line[:j] + line[i+len("% visible]"):]
	}
	return line
}

func again(t *testing.T, v any) *uiread.Tree {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := uiread.Read(b)
	if err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return tree
}

// equal compares a screen with what was read of its snapshot, through JSON: numbers of unknown attributes are told apart
// by nothing else.
func equal(s *ui.Screen, tree *uiread.Tree) bool {
	got := tree.Screen()
	if len(got.Nodes()) != len(s.Nodes()) {
		return false
	}
	a, errA := json.Marshal(s.Snapshot("", &ui.Refs{}, time.Time{}).Elements)
	b, errB := json.Marshal(got.Snapshot("", &ui.Refs{}, time.Time{}).Elements)
	return errA == nil && errB == nil && string(a) == string(b)
}
