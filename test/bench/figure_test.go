package main

import (
	"context"
	"strings"
	"testing"
)

func TestFigureStringShowsBoundAndVerdict(t *testing.T) {
	for _, c := range []struct {
		figure figure
		want   string
		breaks bool
	}{
		{figure{name: "a ratio", value: 2.996, unit: times, bound: 3}, "a ratio|3 ×|≤ 3 ×|ok", false},
		{figure{name: "a ratio over", value: 3.01, unit: times, bound: 3}, "a ratio over|3.01 ×|≤ 3 ×|over", true},
		{figure{name: "a size", value: 12289, unit: octets, bound: 12288}, "a size|12289 B|≤ 12288 B|over", true},
		{figure{name: "a slow machine", value: 21, unit: millis, bound: 20}, "a slow machine|21 ms|≤ 20 ms|over", false},
		{figure{name: "a system's choice", value: 26, unit: megabytes, bound: 25, systems: true}, "a system's choice|26 MB|≤ 25 MB|over", false},
		{figure{name: "no /proc", bound: 0, skipped: true}, "no /proc|skipped|≤ 0|skipped", false},
	} {
		if got := columns(c.figure.String()); got != c.want || c.figure.breaks() != c.breaks {
			t.Errorf("%s, breaks %v; want %s", got, c.figure.breaks(), c.want)
		}
	}
}

// columns is what a reader makes of a line: two spaces or more separate.
func columns(line string) string {
	var parts []string
	for part := range strings.SplitSeq(line, "  ") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "|")
}

func TestQuantileOfHundredValues(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for q, want := range map[float64]int{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("%v of 1…100 is %d, want %d", q, got, want)
		}
	}
}

// TestRatioOverBoundIsMeasuredAgain: a ratio that is over its bound is measured again in a fresh folder, and breaks the run when it stays
// so. A size is what it is: once over its bound it breaks the run.
func TestRatioOverBoundIsMeasuredAgain(t *testing.T) {
	l := &lab{built: t.TempDir(), dir: t.TempDir(), mark: newMark()}
	values, folders := []float64{4, 2.5, 5}, map[string]bool{}
	turn := 0
	m := measurement(func(_ context.Context, on *lab) ([]figure, error) {
		folders[on.dir] = true
		turn++
		return []figure{
			{name: "steady", value: 1, unit: times, bound: 3},
			{name: "once", value: values[turn-1], unit: times, bound: 3},
			{name: "always", value: 9, unit: times, bound: 3},
			{name: "size", value: values[turn-1], unit: octets, bound: 3},
		}, nil
	})
	var out strings.Builder
	err := measureAll(t.Context(), l, &out, m)
	if err == nil || err.Error() != "over its bound: size\nover its bound: always" {
		t.Errorf("the run says %v", err)
	}
	if turn != looks || len(folders) != looks {
		t.Errorf("%d looks in %d folders", turn, len(folders))
	}
	for name, want := range map[string]int{"steady": 1, "size": 1, "once": 2, "always": 3} {
		if told := strings.Count(out.String(), name); told != want {
			t.Errorf("%s is told %d times, want %d:\n%s", name, told, want, &out)
		}
	}
}

// TestSharedMachineFailsOnlyForSizes: on a machine that others use, a ratio and a process's memory are told and measured once; a size still
// fails.
func TestSharedMachineFailsOnlyForSizes(t *testing.T) {
	l := &lab{built: t.TempDir(), dir: t.TempDir(), mark: newMark(), sizes: true}
	turn := 0
	m := measurement(func(context.Context, *lab) ([]figure, error) {
		turn++
		return []figure{
			{name: "ratio", value: 9, unit: times, bound: 3},
			{name: "memory", value: 9, unit: megabytes, bound: 3},
			{name: "file", value: 9, unit: mebibytes, bound: 3},
			{name: "count", value: 9, unit: pieces, bound: 3},
		}, nil
	})
	var out strings.Builder
	err := measureAll(t.Context(), l, &out, m)
	if want := "over its bound: file\nover its bound: count"; err == nil || err.Error() != want || turn != 1 {
		t.Errorf("got %v after %d looks, want %q after one", err, turn, want)
	}
	if told := strings.Count(out.String(), "over"); told != 4 {
		t.Errorf("%d figures are told as over, want 4:\n%s", told, &out)
	}
}
