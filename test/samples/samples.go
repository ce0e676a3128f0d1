// Package samples gives tests the real outputs of Apple's tools, which are not part of the repository, and compares the parsed results
// with golden summaries, which are. Only tests import it.
package samples

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden summaries")

const variable = "IOS_AGENT_SAMPLES"

// Sample is one file.
type Sample struct {
	Kind string // its folder
	Name string
	Data []byte
}

// root finds the samples: where IOS_AGENT_SAMPLES says, else beside the top of the repository. A test without them is
// skipped, but never with CI=true.
func root(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(variable)
	if dir == "" {
		dir = filepath.Join(repository(t), "..", "shared", "fixtures")
	}
	if _, err := os.Stat(dir); err != nil {
		missing := t.Skipf
		if os.Getenv("CI") == "true" {
			missing = t.Fatalf
		}
		missing("no real samples: %v (%s names their folder)", err, variable)
	}
	return dir
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Read returns one sample. A test without it is skipped: other folders of samples (IOS_AGENT_SAMPLES) need not have it.
func Read(t testing.TB, kind, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root(t), kind, name))
	if os.IsNotExist(err) && os.Getenv(variable) != "" {
		t.Skipf("no real sample: %v (%s)", err, variable)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Of returns the samples of some kinds.
func Of(t testing.TB, kinds ...string) []Sample {
	t.Helper()
	root := root(t)
	var all []Sample
	for _, kind := range kinds {
		files, err := os.ReadDir(filepath.Join(root, kind))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if f.IsDir() {
				continue
			}
			b, err := os.ReadFile(filepath.Join(root, kind, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, Sample{kind, f.Name(), b})
		}
	}
	if len(all) == 0 {
		t.Skipf("no real samples of %s in %s (%s)", strings.Join(kinds, ", "), root, variable)
	}
	return all
}

// Kinds returns the names of all folders.
func Kinds(t testing.TB) []string {
	t.Helper()
	dirs, err := os.ReadDir(root(t))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, d := range dirs {
		if d.IsDir() {
			kinds = append(kinds, d.Name())
		}
	}
	return kinds
}

// checkout is where a build server keeps its projects, which says nothing of the project.
var checkout = regexp.MustCompile(`(/Users/runner/)work/`)

// Golden compares the summaries, by the name of their sample, with testdata/samples.golden. Samples from elsewhere
// (IOS_AGENT_SAMPLES) may have no golden summary.
func Golden(t *testing.T, got map[string]string) {
	t.Helper()
	for name, text := range got {
		got[name] = checkout.ReplaceAllString(text, "$1…/")
	}
	path := filepath.Join("testdata", "samples.golden")
	if *update {
		write(t, path, got)
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := parse(string(b))
	for name, text := range got {
		golden, ok := want[name]
		switch {
		case !ok && os.Getenv(variable) == "":
			t.Errorf("%s has no golden summary (-update)", name)
		case ok && golden != strings.TrimSpace(text):
			t.Errorf("%s\n--- got\n%s\n--- want (-update)\n%s", name, text, golden)
		}
	}
	if os.Getenv(variable) != "" {
		return
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("the golden summary of %s has no sample", name)
		}
	}
}

func parse(s string) map[string]string {
	all := map[string]string{}
	for part := range strings.SplitSeq("\n"+s, "\n## ") {
		if name, text, ok := strings.Cut(part, "\n"); ok && name != "" {
			all[name] = strings.TrimSpace(text)
		}
	}
	return all
}

func write(t *testing.T, path string, got map[string]string) {
	t.Helper()
	var names []string
	for n := range got {
		names = append(names, n)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range names {
		b.WriteString("## " + n + "\n" + strings.TrimSpace(got[n]) + "\n\n")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

var uuid = regexp.MustCompile(`\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b`)

// UUIDs are all the different ones in some bytes, as they are written there.
func UUIDs(b []byte) []string {
	all := uuid.FindAllString(string(b), -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// Contains fails the test for each of the texts that is not in what was read.
func Contains(t *testing.T, what, read string, texts []string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(read, s) {
			t.Errorf("%s lost: %q", what, s)
		}
	}
}
