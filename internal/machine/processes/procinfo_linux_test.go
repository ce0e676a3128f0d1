package processes

import "testing"

func TestParseStatReadsStartTimeAndZombie(t *testing.T) {
	const rest = " 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n"
	for _, c := range []struct {
		in     string
		zombie bool
		bad    bool
	}{
		{in: "42 (sh) S" + rest},
		{in: "42 (a) Z (b) c) R" + rest},
		{in: "42 (sh) Z" + rest, zombie: true},
		{in: "42 (sh) S 1 2 3", bad: true},
		{in: "", bad: true},
	} {
		ticks, zombie, err := parseStat([]byte(c.in))
		if (err != nil) != c.bad || zombie != c.zombie || !c.bad && ticks != "987654" {
			t.Errorf("%q: %q, %v, %v", c.in, ticks, zombie, err)
		}
	}
}

func TestParseStandsDetectsStoppedState(t *testing.T) {
	for in, want := range map[string]bool{
		"42 (sh) T 1": true, "42 (sh) t 1": true, "42 (sh) S 1": false, "42 (a) T (b) R 1": false, "42 (sh) Z 1": false, "": false,
	} {
		if got := parseStands([]byte(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}
