package script

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/text/words"
)

// elsewhere are the README's commands that the walk does not type, and why.
var elsewhere = map[string]string{
	"go run ./cmd/ios-agent demo":    "scripts/newcomer types it, in the first lane; the walk has `ios-agent demo`",
	"make test":                      "we are in it",
	"go install ./cmd/ios-agent":     "it would write to the folder of whoever runs the tests",
	"make release":                   "TestReleaseBuildIsReproducible makes a tarball as it does",
	"ios-agent doctor --device UDID": "handheld.txtar types it with the udid of a device",
	"ios-agent webdriver":            "webdriver.txtar starts it, and ends it",
	"ios-agent app launch mousepad":  "desktop.txtar launches a program that is there, on a display that is there",
}

// TestReadmeScriptTypesReadmeCommands: readme.txtar types what the README tells to type, in its order.
func TestReadmeScriptTypesReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("readme.txtar")
	if err != nil {
		t.Fatal(err)
	}
	typed := typedIn(string(script))
	used, next := map[string]bool{}, 0
	told := toldBy(string(readme))
	if len(told) < 20 {
		t.Fatalf("only %d commands: %q", len(told), told)
	}
	for _, line := range told {
		if elsewhere[line] != "" {
			used[line] = true
			continue
		}
		want, whole := words.Split(line)
		i := slices.IndexFunc(typed[next:], func(got []string) bool { return slices.Equal(got, want) })
		if !whole || i < 0 {
			t.Errorf("the README tells to type `%s`; readme.txtar does not, after `%s`", line, strings.Join(typed[max(0, next-1)], " "))
			continue
		}
		next += i + 1
	}
	for line := range elsewhere {
		if !used[line] {
			t.Errorf("the README does not tell to type `%s`", line)
		}
	}
}

// toldBy are the commands of a document: indented lines, without remarks. In a block with answers they begin with a dollar.
func toldBy(text string) (commands []string) {
	for block := range strings.SplitSeq(text, "\n\n") {
		answers := strings.Contains("\n"+block, "\n    $ ")
		for line := range strings.SplitSeq(block, "\n") {
			line, code := strings.CutPrefix(line, "    ")
			line, asked := strings.CutPrefix(line, "$ ")
			line, _, _ = strings.Cut(line, "  #")
			if code && asked == answers {
				commands = append(commands, strings.TrimSpace(line))
			}
		}
	}
	return commands
}

// typedIn are the words of a script's commands. It quotes by single quotes only, and two of them are one.
func typedIn(script string) (commands [][]string) {
	script, _, _ = strings.Cut(script, "\n-- ")
	for line := range strings.SplitSeq(script, "\n") {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "! "), "exec ")
		var all []string
		word, quoted, begun := "", false, false
		for i := 0; i < len(line); i++ {
			switch {
			case line[i] == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
				word += "'"
				i++
			case line[i] == '\'':
				quoted, begun = !quoted, true
			case line[i] == ' ' && !quoted:
				if begun {
					all = append(all, word)
				}
				word, begun = "", false
			default:
				word, begun = word+line[i:i+1], true
			}
		}
		if begun {
			all = append(all, word)
		}
		commands = append(commands, all)
	}
	return commands
}
