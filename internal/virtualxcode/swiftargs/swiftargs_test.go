package swiftargs_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/swiftargs"
)

var launch = swiftargs.Command{
	Name: "tool launch", Usage: "[--quiet] --device <id> <app> [<arg> ...]", Words: swiftargs.Many, Passes: true,
	Options: map[string]bool{"--device": true, "--quiet": false}, Short: map[string]string{"-q": "--quiet"},
	Required: []swiftargs.Required{{Option: "--device", Value: "id", Help: "Which device."}},
}

func TestParseReportsSwiftStyleErrors(t *testing.T) {
	a, err := launch.Parse([]string{"--device=x", "app", "--theirs", "-q", "-1", "--", "--device", "y"})
	if err != nil || a.Value("--device") != "x" || !a.Has("--quiet") ||
		!slices.Equal(a.Words, []string{"app", "--theirs", "-1", "--device", "y"}) {
		t.Errorf("%+v %v", a, err)
	}
	for line, want := range map[string]string{
		"--device":        "Missing value for '--device <device>'",
		"--nonsense":      "Unknown option '--nonsense'",
		"app":             "Missing expected argument '--device <id>'\nHelp:  --device <id>  Which device.",
		"--device x -z a": "Unknown option '-z'",
	} {
		_, err := launch.Parse(strings.Fields(line))
		var wrong swiftargs.Wrong
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%q: %v", line, err)
		}
	}
	none := swiftargs.Command{Name: "tool list"}
	_, err = none.Parse([]string{"x"})
	var out bytes.Buffer
	if exit := none.Report(&out, err); exit != 64 || out.String() != "Error: Unexpected argument 'x'\nUsage: tool list\n  See 'tool "+
		"list --help' for more information.\n" {
		t.Errorf("%d %q", exit, out.String())
	}
}

// FuzzParse: no command line makes the parser lose a word or fail otherwise than by saying what is wrong.
func FuzzParse(f *testing.F) {
	f.Add("--device x app --a -- b")
	f.Add("-q= --device= = --")
	f.Fuzz(func(t *testing.T, line string) {
		_, err := launch.Parse(strings.Fields(line))
		var wrong swiftargs.Wrong
		if err != nil && !errors.As(err, &wrong) {
			t.Errorf("%q: %v", line, err)
		}
	})
}
