package xcresult

import (
	"fmt"
	"slices"
	"strings"
)

// helpFor is the command of a help request: after the word help, or before the option.
func helpFor(argv []string) (name []string, asked bool) {
	if len(argv) > 0 && argv[0] == "help" {
		return argv[1:], true
	}
	for i, a := range argv {
		if a == "--help" || a == "-h" {
			return argv[:i], true
		}
	}
	return nil, len(argv) == 0
}

// help lists the commands that begin with the given words, with their usage.
func (t Tool) help(name []string) {
	fmt.Fprintf(t.Stdout, "OVERVIEW: View and manipulate Xcode result bundle data.\n\nUSAGE: %s <subcommand>\n\nSUBCOMMANDS:\n",
		strings.Join(append([]string{"xcresulttool"}, name...), " "))
	for _, c := range commands() {
		if len(c.name) >= len(name) && slices.Equal(c.name[:len(name)], name) {
			fmt.Fprintf(t.Stdout, "  %s%s\n", strings.Join(c.name, " "), c.usage)
		}
	}
}
