package house_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// Words of a name, or of what is said of an input, by which it names a server, a program or a file.
var (
	soundsLikeServer  = regexp.MustCompile(`^(ur[il]|host|proxy|upstream|listen|server|address|addr|endpoint|interface|port)$`)
	soundsLikeProgram = regexp.MustCompile(`^(exec|command|cmd|program|script|hook|argv|executable|shell|plugin|binary|lib|library)$`)
	soundsLikeFile    = regexp.MustCompile(`^(path|file|folder|dir|directory|out|output|cwd|root|archive|dest|destination|template)$`)
	saysServer        = regexp.MustCompile(`(?i)\b(URL|address|server|listens?)\b`)
	saysProgram       = regexp.MustCompile(`(?i)\b(program|executable|command|shell|script)\b`)
	saysFile          = regexp.MustCompile(`(?i)\b(path|file|folder|directory)\b`)
	capital           = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// TestRiskyInputsHaveRiskTypes walks over every input of every operation of every family: one that by its name, or by what is said of it,
// names a server, a program or a file has a type that says so. What only sounds so is listed, with what it is.
func TestRiskyInputsHaveRiskTypes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range house.New(t).Product.Catalogue.Ops() {
		for _, f := range o.Fields() {
			if f.Risky() || !sounds(f) {
				continue
			}
			if harmless[f.Name] != "" {
				seen[f.Name] = true
				continue
			}
			named := o.Family + " " + o.Name + " " + f.Name
			if seen[named] = true; harmless[named] == "" {
				t.Errorf("%s (%s): give it a type of op/risk.go, or say what it is", named, f.Doc)
			}
		}
	}
	for named := range harmless {
		if !seen[named] {
			t.Errorf("%s is said to be harmless, and nothing of that name sounds otherwise", named)
		}
	}
}

// sounds reports whether an input seems to name a server, a program or a file. Switches and choices name nothing; a number may be a port.
func sounds(f op.Field) bool {
	if f.Kind == op.Bool || len(f.Enum) > 0 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(capital.ReplaceAllString(f.Name, "${1}_$2")), func(r rune) bool { return r == '_' })
	is := func(what *regexp.Regexp) bool { return slices.ContainsFunc(words, what.MatchString) }
	if is(soundsLikeServer) || is(soundsLikeProgram) || is(soundsLikeFile) {
		return true
	}
	text := f.Kind == op.String || f.Kind == op.Strings || f.Kind == op.Any || f.Kind == op.Nested
	return text && (saysServer.MatchString(f.Doc) || saysProgram.MatchString(f.Doc) || saysFile.MatchString(f.Doc))
}

// harmless are inputs that only sound risky: by name, or by family, operation and name.
var harmless = map[string]string{
	"host":          "a host whose requests are meant: nothing is sent there",
	"path":          "a part of a request's path",
	"path_contains": "a part of a request's path",
	"client_ip":     "who sent a request",
	"port":          "where the proxy listens, on an address that is an Address",

	"core open url":          "an app on the device opens it",
	"core parse text":        "is parsed",
	"core debug_break at":    "a place in a program that runs",
	"core wait_flow request": "a part of a request's path",

	"quern parse_build_output output": "is parsed",

	"xcode swift_package_run executableName": "a product of the package, which the operation is marked to run",
	"xcode swift_package_run arguments":      "of that product",
	"xcode discover_projs scanPath":          "below a folder that is a Path",
	"xcode get_file_coverage file":           "a name within a report that is a Path",
	"xcode debug_breakpoint_add file":        "a place in a program that runs",
	"xcode debug_breakpoint_add function":    "a place in a program that runs",

	"desktop debug_attach name": "of a program that runs, which the operation is marked to reach",
}
