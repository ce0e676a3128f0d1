package setup

import (
	"fmt"
	"strings"
	"unicode"
)

// mostLines is how many lines of a change are shown: nobody wants to read a whole skill here.
const mostLines = 40

// fewLines is how many are shown of a change that has more.
const fewLines = 6

// Lines are the lines that a change removes and adds, and no others: the lines around them in a configuration file may hold a secret, and a
// model may read the output.
func (c Change) Lines() []string {
	var out []string
	for _, line := range diff(lines(c.Before), lines(c.After)) {
		out = append(out, printable(line))
	}
	return out
}

// Print shows what would be written, for people: the lines of each change, lists folded and documents cut, with how many lines are left.
func Print(changes []Change) string {
	if len(changes) == 0 {
		return "everything is set up; there is nothing to write\n"
	}
	var b strings.Builder
	var f folder
	for i, c := range changes {
		if i > 0 {
			b.WriteByte('\n')
		}
		verb := "change"
		if c.New {
			verb = "create"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", verb, c.Path, c.Why)
		for _, line := range short(f.fold(c.Lines()), len(c.After)) {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// short are the first of many lines, with how much follows.
func short(all []string, size int) []string {
	if len(all) <= mostLines {
		return all
	}
	return append(all[:fewLines:fewLines], fmt.Sprintf("… %d more lines, of %d bytes in all: `--json` has them", len(all)-fewLines, size))
}

func lines(text []byte) []string {
	s := strings.ReplaceAll(strings.TrimPrefix(string(text), bom), "\r\n", "\n")
	if s = strings.TrimSuffix(s, "\n"); s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// printable keeps what is in a file from steering a terminal.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// diff is the removed and added lines, each run below the number of its first line. A comma that an added neighbour needs does not count as
// a change.
func diff(old, now []string) []string {
	var out []string
	i, j := 0, 0
	for _, same := range append(common(bare(old), bare(now)), [2]int{len(old), len(now)}) {
		if run := hunk(old[i:same[0]], now[j:same[1]]); len(run) > 0 {
			if len(old) > 0 {
				out = append(out, fmt.Sprintf("@ line %d", j+1))
			}
			out = append(out, run...)
		}
		i, j = same[0]+1, same[1]+1
	}
	return out
}

func bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSuffix(line, ",")
	}
	return out
}

// hunk is one run. Of a line with more than our entry in it, only what differs is shown.
func hunk(gone, come []string) []string {
	if len(gone) == 1 && len(come) == 1 && strings.ContainsAny(gone[0], "{[") {
		was, is := between(gone[0], come[0])
		gone, come = []string{was}, []string{is}
		if was == "" {
			gone = nil
		}
	}
	return append(signed("- ", gone), signed("+ ", come)...)
}

func signed(sign string, lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(sign+line, " "))
	}
	return out
}

// between is where two lines differ, widened to the commas and brackets around it.
func between(old, now string) (was, is string) {
	const edges = ",{}[]"
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	head = strings.LastIndexAny(now[:head], edges) + 1
	if end := strings.IndexAny(now[len(now)-tail:], edges); end >= 0 {
		tail -= end
	} else {
		tail = 0
	}
	return strings.TrimSpace(old[head : len(old)-tail]), strings.TrimSpace(now[head : len(now)-tail])
}

// common pairs the lines two texts share, by their longest common subsequence; what they begin and end with alike is
// taken off first, so that the table stays small.
func common(old, now []string) [][2]int {
	var pairs [][2]int
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		pairs = append(pairs, [2]int{head, head})
		head++
	}
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	for _, p := range longest(old[head:len(old)-tail], now[head:len(now)-tail]) {
		pairs = append(pairs, [2]int{head + p[0], head + p[1]})
	}
	for ; tail > 0; tail-- {
		pairs = append(pairs, [2]int{len(old) - tail, len(now) - tail})
	}
	return pairs
}

// mostCells bounds the table; two texts that differ more than that are shown whole.
const mostCells = 4 << 20

func longest(old, now []string) [][2]int {
	if len(old)*len(now) > mostCells {
		return nil
	}
	best := make([][]int, len(old)+1)
	for i := range best {
		best[i] = make([]int, len(now)+1)
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if old[i] == now[j] {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	return walk(best, old, now)
}

func walk(best [][]int, old, now []string) [][2]int {
	var pairs [][2]int
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch {
		case old[i] == now[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
