package docfile

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

func TestYAMLOverBoundsIsRefused(t *testing.T) {
	bomb := "a: &a [x, x]\n"
	for i := range 12 {
		last, name := string(rune('a'+i)), string(rune('b'+i))
		bomb += name + ": &" + name + " [*" + last + ", *" + last + ", *" + last + ", *" + last + "]\n"
	}
	for name, text := range map[string]string{
		"aliases": bomb, "itself": "a: &a [*a]\n", "size": "a: 1\n#" + strings.Repeat("x", MostYAML),
		"brackets": "a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "dashes": "a:\n" + strings.Repeat("- ", 100) + "x\n",
	} {
		if _, err := YAML(text); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// TestYAMLParsingUsesBoundedMemory: whatever fills a file, the parser takes little memory for it.
func TestYAMLParsingUsesBoundedMemory(t *testing.T) {
	const most = 150 << 20 // in all, most of it given back at once
	for _, unit := range []string{"[", "{", "[{", "{a: [", "[a,", "{?", "- ", "? ", "- ? ", "a: {",
		"&a ", "!t ", "*a ", ": ", "a:\n- ", "---\n", "<<: "} {
		for _, head := range []string{"", "a: ", "a:\n  "} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _ = YAML(head + strings.Repeat(unit, (MostYAML-len(head))/len(unit))) // only its cost counts
			runtime.ReadMemStats(&after)
			if cost := after.TotalAlloc - before.TotalAlloc; cost > most {
				t.Errorf("%q, then %q: %d MB", head, unit, cost>>20)
			}
		}
	}
}

func TestYAMLValuesOfWrongTypeAreRefused(t *testing.T) {
	doc, err := YAML("list: [a, b]\none: x\ncount: 7\nempty:\nminus: -1\nquoted: \"7\"\nmixed: [a, 1]\nlast: &l [c]\nagain: *l\n")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"list": "a b", "empty": "", "none": "", "again": "c", "one": "!", "mixed": "!"} {
		got, err := doc.Texts(key)
		if wrong := want == "!"; wrong != (err != nil) || !wrong && strings.Join(got, " ") != want {
			t.Errorf("texts of %s: %q %v", key, got, err)
		}
	}
	for key, want := range map[string]string{"one": "x", "quoted": "7", "empty": "", "none": "", "count": "!", "list": "!"} {
		got, err := doc.One(key)
		if wrong := want == "!"; wrong != (err != nil) || !wrong && got != want {
			t.Errorf("text of %s: %q %v", key, got, err)
		}
	}
	for key, want := range map[string]int{"count": 7, "empty": 0, "none": 0, "minus": -1, "quoted": -1, "list": -1, "one": -1} {
		if got, err := doc.Count(key); (want < 0) != (err != nil) || err == nil && got != want {
			t.Errorf("count of %s: %d %v", key, got, err)
		}
	}
}

// FuzzYAML: no text panics, what is wrong has a line, and no message says what the text says.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{"", "a: 1", "- a", "a: *b", "a: &a [*a]", "? : :", "{a: [}", "%YAML 9", "%YAML CANARY", "a: !!CANARY 1",
		"CANARY: 1\nCANARY: 2", "\"CANARY", "a: 'CANARY", "CANARY", "*CANARY", "a: \"\\CANARY\"", "a: |CANARY", "\tCANARY: 1", "!!int CANARY"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := YAML(text)
		if err == nil || len(text) > MostYAML {
			return
		}
		var p *Problem
		if !errors.As(err, &p) || p.Line < 1 || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
