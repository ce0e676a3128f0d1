package plists

import "ios-agent/internal/virtualxcode/mark"

// Marks are the behaviours of defaults.
func Marks() []mark.Mark {
	return []mark.Mark{
		{Tool: "defaults", Behaviour: "read, read-type, write, delete and domains, by domain or path; a missing pair or domain exits " +
			"1, a wrong command line 255", Source: mark.Assumed},
		{Tool: "defaults", Behaviour: "export prints XML, of a missing domain an empty dictionary; import adds the values of a file or of " +
			"standard input to a domain and keeps its other values", Source: mark.Assumed},
	}
}
