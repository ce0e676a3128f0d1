package script

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode"
)

// profile is that of the virtual worlds of this run. The same scripts are run a second time on a world as unkind as a real Mac:
// make test-real-mac.
func profile() string { return os.Getenv(virtualxcode.ProfileVariable) }

// differs are the scripts with lines that hold in one of the two worlds only, which begin with [real-mac] or [!real-mac], and why.
var differs = map[string]string{
	"actions":       "a simulator has a hardware keyboard by default: there is none on the screen to be hidden",
	"devicetools":   "devicectl of Xcode 27 prints another document",
	"specification": "no keyboard covers the button below it",
	"xcode-sim":     "Xcode 27 has Device Hub instead of Simulator",
}

const mostDiffer = 5

// condition is what a line of a script can depend on.
func condition(name string) (bool, error) {
	if name == "desktop" {
		return os.Getenv(desktopVariable) != "", nil
	}
	if name != virtualxcode.RealMac {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return profile() == virtualxcode.RealMac, nil
}

// leftovers are what runs of the agent have left in the derived data of all, and the diagnostics of those that failed.
func leftovers(work string) (all []string) {
	for _, pattern := range []string{"Library/Developer/Xcode/DerivedData/temporary-*", "home/agent/runs/*/Logs/Test/simctl_diagnostics"} {
		found, err := filepath.Glob(filepath.Join(work, pattern))
		if err != nil {
			panic(err) // the patterns are right
		}
		all = append(all, found...)
	}
	return all
}

func TestRealMacConditionsAreUsedByListedScripts(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\n[real-mac]") || strings.Contains(string(text), "\n[!real-mac]") {
			found = append(found, strings.TrimSuffix(file, ".txtar"))
		}
	}
	if told := slices.Sorted(maps.Keys(differs)); !slices.Equal(found, told) || len(told) > mostDiffer {
		t.Errorf("these scripts differ: %q; told are %q, and at most %d may", found, told, mostDiffer)
	}
}
