package plists

import "ios-agent/internal/virtualxcode/mark"

// Marks say what is known of the real tools.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "plutil", Behaviour: "-convert xml1, binary1 and json, -lint, -p, -extract with raw and -expect, -replace, -insert, " +
			"-remove, -type, -create; -o, -e, -r, -s, -n; the words of errors", Source: mark.Assumed},
		{Tool: "PlistBuddy", Behaviour: "Print, Set, Add, Delete, Copy, Clear, Save; -c, -x and the prompt; errors on stderr, exit 1",
			Source: mark.Assumed},
		{Tool: "defaults", Behaviour: "read, read-type, write, delete and domains, by domain or path; a missing pair or domain exits " +
			"1, a wrong command line 255", Source: mark.Assumed},
	}
}
