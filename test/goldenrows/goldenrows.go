// Package goldenrows compares the answers of the tools of another product with reviewed files, because clients of that product get these
// answers. Same compares one answer; with -update it rewrites the file.
package goldenrows

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Lines are an answer for people: a key a line, and an item of a list a line.
func Lines(t testing.TB, answer any) string {
	t.Helper()
	var out strings.Builder
	object, is := answer.(map[string]any)
	if !is {
		return Compact(t, answer) + "\n"
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		list, is := object[key].([]any)
		if !is {
			fmt.Fprintf(&out, "%s: %s\n", key, Compact(t, object[key]))
			continue
		}
		fmt.Fprintf(&out, "%s: %d\n", key, len(list))
		for _, item := range list {
			fmt.Fprintf(&out, "  %s\n", Compact(t, item))
		}
	}
	return out.String()
}

// Compact is a value as JSON in one line, with < and > as they are.
func Compact(t testing.TB, value any) string {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// Same wants a file to have this text.
func Same(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	theirs, ours := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			t.Fatalf("%s:%d: got %q, want %q; -update rewrites it\n%s", file, i+1, ours[i], theirs[i], strings.Join(ours[max(0, i-12):i+1], "\n"))
		}
	}
	t.Fatalf("%s has %d lines, the answers %d", file, len(theirs), len(ours))
}
