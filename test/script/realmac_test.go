package script

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/apple/xcodebuild"
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

// differsPublic are the scripts with lines for an agent that does or does not use undocumented keys of XCTest, and the reasons:
// make test-public-only.
var differsPublic = map[string]string{
	"quern":    "a tap on a field changes nothing that such an agent sees",
	"readme":   "the agent does not know the focus",
	"xcode-ui": "the agent does not know the focus",
}

// publicOnly is the condition of differsPublic.
const publicOnly = "public-only"

const mostDiffer = 5

// condition is what a line of a script can depend on.
func condition(name string) (bool, error) {
	switch name {
	case "desktop":
		return os.Getenv(desktopVariable) != "", nil
	case virtualxcode.RealMac:
		return profile() == virtualxcode.RealMac, nil
	case publicOnly:
		return os.Getenv(xcodebuild.PublicVariable) == "1", nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
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

func TestConditionsAreUsedByListedScripts(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for name, told := range map[string]map[string]string{virtualxcode.RealMac: differs, publicOnly: differsPublic} {
		var found []string
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "\n["+name+"]") || strings.Contains(string(text), "\n[!"+name+"]") {
				found = append(found, strings.TrimSuffix(file, ".txtar"))
			}
		}
		if listed := slices.Sorted(maps.Keys(told)); !slices.Equal(found, listed) || len(listed) > mostDiffer {
			t.Errorf("scripts with lines for %s: %q; listed are %q, and at most %d may be", name, found, listed, mostDiffer)
		}
	}
}
