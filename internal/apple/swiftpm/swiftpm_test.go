package swiftpm

import (
	"strings"
	"testing"

	"ios-agent/internal/machine/host"
)

func TestToolBuildsExpectedCommandLines(t *testing.T) {
	debug, release := Package{Path: "/a b"}, Package{Path: "/p", Release: true, AsLibrary: true}
	made := func(c host.Cmd, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c.Name + "|" + strings.Join(c.Args, "|")
	}
	var tool Tool
	for _, c := range []struct{ got, want string }{
		{made(tool.Build(debug, Build{})), "swift|build|--package-path|/a b"},
		{made(tool.Build(release, Build{Target: "Lib", Archs: []string{"arm64", "x86_64"}})),
			"swift|build|--package-path|/p|-c|release|--target|Lib|--arch|arm64|--arch|x86_64|-Xswiftc|-parse-as-library"},
		{made(tool.Test(debug, Test{Product: "T", Filter: "A.b$", Serial: true, Coverage: true})),
			"swift|test|--package-path|/a b|--test-product|T|--filter|A.b$|--no-parallel|--enable-code-coverage"},
		{made(tool.Test(release, Test{})), "swift|test|--package-path|/p|-c|release|-Xswiftc|-parse-as-library"},
		{made(tool.Run(release, Run{Executable: "tool", Args: []string{"--verbose", "$(x)"}})),
			"swift|run|--package-path|/p|-c|release|-Xswiftc|-parse-as-library|tool|--|--verbose|$(x)"},
		{made(tool.Run(debug, Run{})), "swift|run|--package-path|/a b"},
		{made(tool.Clean(debug), nil), "swift|package|--package-path|/a b|clean"},
		{made(tool.CoveragePath(release), nil), "swift|test|--package-path|/p|-c|release|--show-codecov-path"},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

func TestOptionLikeValuesAreRefused(t *testing.T) {
	var tool Tool
	p := Package{Path: "/p"}
	_, build := tool.Build(p, Build{Target: "--disable-sandbox"})
	_, arch := tool.Build(p, Build{Archs: []string{"-x"}})
	_, test := tool.Test(p, Test{Filter: "--enable-x"})
	_, run := tool.Run(p, Run{Executable: "-Xswiftc"})
	for name, err := range map[string]error{"build": build, "arch": arch, "test": test, "run": run} {
		if err == nil {
			t.Errorf("%s: an option was let through", name)
		}
	}
}

func FuzzExecutables(f *testing.F) {
	f.Add([]byte("warning: x\n" + `{"name":"p","products":[{"name":"tool","type":{"executable":null}},{"name":"Lib",` +
		`"type":{"library":["automatic"]}}]}`))
	f.Add([]byte(`{"products":[{"type":null}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := Executables(b)
		if err != nil && names != nil {
			t.Errorf("%q beside an error", names)
		}
	})
}

func TestExecutablesSkipLibraries(t *testing.T) {
	names, err := Executables([]byte("warning: x\n" +
		`{"products":[{"name":"tool","type":{"executable":null}},{"name":"Lib","type":{"library":["automatic"]}}]}`))
	if err != nil || len(names) != 1 || names[0] != "tool" {
		t.Errorf("%q, %v", names, err)
	}
}
