package outline

import (
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/hint"
	"ios-agent/internal/ui"
)

// leftOutCost is the cost of the last line of a shortened outline, in tokens.
const leftOutCost = 40

// afford keeps the lines that fit the budget, new and actionable elements first, and describes the omitted ones.
func afford(s *ui.Screen, rows []*row, budget int, news func() fresh) ([]*row, string) {
	costs := make([]int, len(rows))
	total := 0
	for i, r := range rows {
		costs[i] = tokens(strings.Repeat("  ", r.depth())) + tokens(r.hint) + 2
		if r.node != nil {
			costs[i] += tokens(r.node.Describe()+" [ref=e1234]"+states(r.node)+value(r.node)) + 1
		}
		total += costs[i]
	}
	if total <= budget {
		return rows, ""
	}
	kept, left := keep(s, rows, costs, budget-leftOutCost, news())
	return kept, fmt.Sprintf("%s: %s %d shows all, %s a part", left, hint.Field("budget"), total+tokens(Header(s)), hint.Field("within"))
}

// within keeps a maximum number of lines, as afford does.
func within(s *ui.Screen, rows []*row, most int, news func() fresh) ([]*row, string) {
	kept, left := keep(s, rows, slices.Repeat([]int{1}, len(rows)), most, news())
	return kept, left + ": " + hint.Do("snapshot") + " shows them"
}

// fresh holds the elements that are new since the last look, and the elements that changed on this screen before.
type fresh struct{ last, ever map[*ui.Node]bool }

// keep keeps the lines that fit, and counts the others. New elements come first, as effects of the last action, then elements that changed
// before.
func keep(s *ui.Screen, rows []*row, costs []int, room int, news fresh) ([]*row, string) {
	byRank := make([]int, len(rows))
	for i := range byRank {
		byRank[i] = i
	}
	modal := s.Modal()
	rank := func(r *row) int {
		switch {
		case r.node != nil && (news.last[r.node] || r.node.Focused):
			return r.rank(modal)
		case r.node != nil && news.ever[r.node]:
			return ranks + r.rank(modal)
		}
		return 2*ranks + r.rank(modal)
	}
	slices.SortStableFunc(byRank, func(a, b int) int { return rank(rows[a]) - rank(rows[b]) })
	left, toAct, hints := 0, 0, ""
	for _, i := range byRank {
		if costs[i] <= room { // a line that is too long leaves its room to the next
			room -= costs[i]
			continue
		}
		rows[i].cut = true
		if rows[i].node == nil {
			count, _, _ := strings.Cut(rows[i].hint, ":")
			hints += ", " + count // no other line mentions the elements out of sight
			continue
		}
		left++
		if rows[i].node.Interactive() {
			toAct++
		}
	}
	kept := slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.cut })
	return kept, fmt.Sprintf("%d more left out, %d to act on%s", left, toAct, hints)
}

// rank orders lines by use: actionable elements, above all in a dialog; landmarks; the rest.
func (r *row) rank(modal *ui.Node) int {
	n := r.node
	switch {
	case n == nil:
		return 4
	case modal != nil && n.Within(modal):
		return 0
	case n.Interactive() && n.Hittable():
		return 1
	case n.Interactive():
		return 2
	case n.Landmark(), n.Type == "Heading":
		return 3
	}
	return 5
}

// ranks is more than any rank.
const ranks = 6

// tokens estimates the number of tokens of a text, rather too high, so that a budget is kept.
func tokens(text string) int {
	thirds := 0
	for _, r := range text {
		thirds++
		if r >= 0x80 {
			thirds += 3
		}
	}
	return (thirds + 2) / 3
}
