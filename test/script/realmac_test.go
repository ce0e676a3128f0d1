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
var differs = map[string]string{}

const mostDiffer = 5

// condition is what a line of a script can depend on.
func condition(name string) (bool, error) {
	if name != virtualxcode.RealMac {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return profile() == virtualxcode.RealMac, nil
}

func TestScriptsThatDiffer(t *testing.T) {
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
