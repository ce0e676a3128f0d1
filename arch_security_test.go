package arch_test

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityDocNamesExistingTests: a promise whose test is gone is none. `make attack` takes its tests from the same page.
func TestSecurityDocNamesExistingTests(t *testing.T) {
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, p := range packages(t) {
		for _, file := range p.files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					there[f.Name.Name] = true
				}
			}
		}
	}
	named := regexp.MustCompile(`\bTest[A-Za-z0-9]+`).FindAllString(string(page), -1)
	if len(named) < 30 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !there[name] {
			t.Errorf("SECURITY.md names %s, which does not exist", name)
		}
	}
}

// ownReaders are the files outside of machine that open files themselves, with what these are: none is a project's, a policy's, an
// app's or a client's.
var ownReaders = map[string]string{
	"internal/apple/devicectl/tool.go":                 "the answer of devicectl, in a folder of ours",
	"internal/apple/simctl/verbs.go":                   "a screenshot, in a folder of ours",
	"internal/daemon/key.go":                           "the key, in the home",
	"internal/device/film/move.go":                     "a recording that we made",
	"internal/device/lease/hostlock/hostlock.go":       "the locks, in a folder of ours",
	"internal/device/logcap/sink.go":                   "the captures, in the home",
	"internal/telemetry/lineindex/files.go":            "what is derived of the store, in the home",
	"internal/telemetry/streams/console.go":            "makes the files that apps print to, in the home",
	"internal/telemetry/streams/tail.go":               "reads those files, piece by piece",
	"internal/config/file.go":                          "writes the config file, below its project",
	"internal/device/statedb/ceiling.go":               "the highest epoch, in the home",
	"internal/driver/agentwire/talk.go":                "writes what is said with agents, into a folder the user names",
	"internal/driver/xctest/prepare.go":                "what a device was before it was prepared, in the home",
	"internal/network/hostproxy/journal.go":            "the lock of the journal, in the home",
	"internal/network/whose/holder_linux.go":           "the kernel's tables and the descriptors of our user's processes",
	"internal/network/whose/server_linux.go":           "the kernel's tables",
	"internal/network/mitm/body.go":                    "writes bodies of requests, into the home",
	"internal/network/spool/reader.go":                 "the spool, in the home",
	"internal/network/spool/writer.go":                 "writes the spool, in the home",
	"internal/network/proxy/process.go":                "the lock of its own folder",
	"internal/client/connect/transcript.go":            "writes the transcript",
	"internal/virtualxcode/crashreport/crashreport.go": "writes a crash report",
	"internal/virtualxcode/open/devices.go":            "writes down what was opened, in a folder of ours",
	"internal/virtualxcode/project/sample.go":          "a project that is embedded in the program",
	"internal/virtualxcode/service/store.go":           "the state of the devices, in the home",
	"internal/virtualxcode/world/console.go":           "writes what apps print",
	"internal/virtualxcode/xcodebuild/zip.go":          "a product that was just built",
}

// TestOnlyListedFilesOpenFilesOrParseDocuments: a document that others wrote is parsed by machine/docfile, and a file of theirs is opened
// by it or by machine/regularfile, which have the bounds. Virtual Xcode opens files of apps and projects in the same way. It parses
// documents by itself, as Apple's tools do: it takes more than docfile does.
func TestOnlyListedFilesOpenFilesOrParseDocuments(t *testing.T) {
	used := map[string]bool{}
	for dir, p := range packages(t) {
		inside := strings.HasPrefix(dir, "internal/") || strings.HasPrefix(dir, "cmd/")
		if !inside || strings.HasPrefix(dir, "internal/machine/") {
			continue
		}
		virtual := strings.HasPrefix(dir, "internal/virtualxcode")
		for i, file := range p.files {
			name := p.names[i]
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, parser := range file.Imports {
				if !virtual && documentParser.MatchString(parser.Path.Value) && !placeParsers[name+" "+parser.Path.Value] {
					t.Errorf("%s imports %s: documents are read by machine/docfile", name, parser.Path.Value)
				}
			}
			if !opens(file) {
				continue
			}
			if used[name] = true; ownReaders[name] == "" {
				t.Errorf("%s opens files itself: those of others are read by machine/docfile or machine/regularfile", name)
			}
		}
	}
	for name := range ownReaders {
		if !used[name] {
			t.Errorf("%s is allowed to open files and opens none", name)
		}
	}
}

var documentParser = regexp.MustCompile(`go-yaml|yaml\.v|plist|go-toml|BurntSushi`)

// placeParsers know the places of nodes in a document that docfile has checked, for edits.
var placeParsers = map[string]bool{
	`internal/config/splice.go "github.com/goccy/go-yaml/ast"`:                     true,
	`internal/client/setup/tomlscan.go "github.com/pelletier/go-toml/v2/unstable"`: true,
	`internal/apple/simctl/domain.go "howett.net/plist"`:                           true, // it only writes
}

// opens reports whether a file of Go calls what opens a file by its path.
func opens(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, _ := s.X.(*ast.Ident)
			found = found || x != nil && (x.Name == "os" || x.Name == "fs" || x.Name == "ioutil") &&
				(s.Sel.Name == "ReadFile" || s.Sel.Name == "Open" || s.Sel.Name == "OpenFile" || s.Sel.Name == "OpenRoot")
		}
		return true
	})
	return found
}

// TestNPMRunsNoScripts: what npm fetches for tests is what lock files name, by its checksum, and none of its scripts is run.
func TestNPMRunsNoScripts(t *testing.T) {
	installs := regexp.MustCompile(`\b(npm (i|ci|install|exec|rebuild|run)|npx|yarn|pnpm)\b`)
	files, err := filepath.Glob("scripts/*")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, name := range append(files, "Makefile", ".ci/run") {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a folder
		}
		for line := range strings.Lines(string(text)) {
			if code, _, _ := strings.Cut(line, "#"); installs.MatchString(code) {
				if used++; !strings.Contains(code, "--ignore-scripts") {
					t.Errorf("%s: %s", name, strings.TrimSpace(code))
				}
			}
		}
	}
	locks, err := filepath.Glob("scripts/npm/*/package-lock.json")
	if err != nil || len(locks) == 0 || used == 0 {
		t.Fatal(locks, used, err)
	}
	for _, name := range locks {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Integrity string
				InBundle  bool
			}
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatal(err)
		}
		for path, p := range lock.Packages {
			for of := path; p.InBundle && of != ""; p = lock.Packages[of] { // it is in the tarball of another, whose checksum it has
				of = of[:max(0, strings.LastIndex(of, "/node_modules/"))]
			}
			if path != "" && !strings.HasPrefix(p.Integrity, "sha512-") {
				t.Errorf("%s: %s has no checksum", name, path)
			}
		}
	}
}
