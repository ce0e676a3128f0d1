package virtualxcode_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"
)

// faultPreface has ~ for a backquote.
const faultPreface = `# Faults of Virtual Xcode

Generated from the table in the code (~go test ./internal/virtualxcode -update~); ~ios-agent virtual fault list --known~ prints the same.

~~~
ios-agent virtual fault add NAME [--device UDID] [--times N|forever] [--after N] [--set name=value]...
ios-agent virtual fault list [--known]
ios-agent virtual fault clear [NAME]
ios-agent virtual fault chaos --seed N [--rate 0.01] [--only a,b]
ios-agent virtual fault chaos off
ios-agent virtual profile [real-mac|none]
~~~

A fault happens once, on its next occasion. ~--times~ makes it happen more often, ~--times forever~ until it is cleared. ~--after N~
skips N occasions first. Virtual Xcode stores armed faults with its devices, so they stay armed after a restart of the service. A fault
affects every caller, in the device, its apps or the tools; the program under test gets no notice.

Chaos makes the faults marked *passes* happen without being armed. Whether a fault happens depends on the seed, its name, the device and
the number of the occasion: with request-driven time the same requests meet the same faults.

The profile ~real-mac~ makes all faults marked *real-mac* happen on every occasion: a real Mac differs from the default world in these
ways. ~ios-agent virtual profile real-mac~ starts the profile, and ~ios-agent virtual profile none~ ends it; with
~IOS_AGENT_VIRTUAL_PROFILE=real-mac~ a new service starts with it. With request-driven time it costs almost no real time.

A report that begins with a letter and a number is an entry of the field report behind this project, followed by the issues it names.

| fault | effect | occasion | parameters | chaos, profile | report |
|---|---|---|---|---|---|
`

func faultDocument() string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(faultPreface, "~", "`"))
	for _, k := range flaw.Known() {
		var set []string
		for _, p := range k.Params {
			set = append(set, p.Describe())
		}
		var marks []string
		if k.Passing {
			marks = append(marks, "passes")
		}
		if k.Mac {
			marks = append(marks, "real-mac")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, k.Does, k.Each, strings.Join(set, "<br>"), strings.Join(marks, ", "),
			k.Report)
	}
	return b.String()
}

func TestFaultsAreDocumented(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "virtual-faults.md")
	if *update {
		if err := os.WriteFile(path, []byte(faultDocument()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != faultDocument() {
		t.Errorf("%s is stale: run go test ./internal/virtualxcode -update (%v)", path, err)
	}
}

// Every fault is used by a test, by its constant or its name.
func TestEveryFaultIsTested(t *testing.T) {
	constants := map[string]string{} // by name
	for _, name := range []string{"flaw/table.go", "flaw/devices.go"} {
		table, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\t(\w+) += "([a-z-]+)"$`).FindAllStringSubmatch(string(table), -1) {
			constants[m[2]] = m[1]
		}
	}
	var tests strings.Builder
	for _, root := range []string{".", "../driver", "../../test/script", "../../test/house"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
				return err
			}
			text, err := os.ReadFile(path)
			tests.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\bflaw\.(\w+)`).FindAllStringSubmatch(tests.String(), -1) {
		named[m[1]] = true
	}
	for _, k := range flaw.Known() {
		if constants[k.Name] == "" || !named[constants[k.Name]] && !strings.Contains(tests.String(), "fault add "+k.Name) {
			t.Errorf("%s is in no test", k.Name)
		}
	}
}
