package setup

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// folder shows lists of names that differ in one word as that, and a list that was shown already as the same.
type folder struct{ shown [][]string }

// fewest is how many lines alike are folded.
const fewest = 6

// fold joins lines that follow one another and differ in one place only.
func (f *folder) fold(all []string) []string {
	var out []string
	for len(all) > 0 {
		n, head, tail := alike(all)
		if n < fewest {
			out, all = append(out, all[0]), all[1:]
			continue
		}
		var names []string
		for _, line := range all[:n] {
			names = append(names, line[len(head):len(strings.TrimSuffix(line, ","))-len(tail)])
		}
		out, all = append(out, f.list(head+"…"+tail, names)...), all[n:]
	}
	return out
}

// alike is how many lines are the same as the first but for one place, and what stands before and after that. Commas at the end do not
// count.
func alike(all []string) (n int, head, tail string) {
	if len(all) < fewest || !strings.HasPrefix(all[0], "+ ") {
		return 0, "", ""
	}
	a, b := strings.TrimSuffix(all[0], ","), strings.TrimSuffix(all[1], ",")
	head, tail = ends(a, b)
	if len(strings.TrimSpace(head)) < len("+ name") {
		return 0, "", ""
	}
	is := func(line string) bool {
		line = strings.TrimSuffix(line, ",")
		return len(line) > len(head)+len(tail) && strings.HasPrefix(line, head) && strings.HasSuffix(line, tail)
	}
	for n < len(all) && is(all[n]) {
		n++
	}
	return n, head, tail
}

// ends are what two lines begin and end with alike, in whole words.
func ends(a, b string) (head, tail string) {
	most := min(len(a), len(b))
	i := 0
	for i < most && a[i] == b[i] {
		i++
	}
	j := 0
	for j < most-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' }
	head, tail = a[:i], a[len(a)-j:]
	head = head[:strings.LastIndexFunc(head, apart)+1]
	if at := strings.IndexFunc(tail, apart); at >= 0 {
		return head, tail[at:]
	}
	return head, ""
}

// list shows names, several a line.
func (f *folder) list(form string, names []string) []string {
	if slices.ContainsFunc(f.shown, func(before []string) bool { return slices.Equal(before, names) }) {
		return []string{fmt.Sprintf("%s: the same %d as above", form, len(names))}
	}
	f.shown = append(f.shown, names)
	const width = 130
	indent := form[:len(form)-len(strings.TrimLeft(form[1:], " "))] + "  "
	out := []string{fmt.Sprintf("%s: %d,", form, len(names))}
	line := indent
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(line)+len(name) >= width {
			out, line = append(out, strings.TrimRight(line, " ")), indent
		}
		line += name + " "
	}
	return append(out, strings.TrimRight(line, " "))
}
