package devicectl_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/test/samples"
)

// shapes adds the paths of a document and the types found there.
func shapes(v any, path string, into map[string]string) {
	kind := "null"
	switch v := v.(type) {
	case map[string]any:
		kind = "object"
		for key, value := range v {
			shapes(value, path+"."+key, into)
		}
	case []any:
		kind = "array"
		for _, item := range v {
			shapes(item, path+"[]", into)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	}
	into[path] = kind
}

// commandOf is the command a sample was made with; those without an info say it in their names.
func commandOf(t *testing.T, name string, doc map[string]any) string {
	t.Helper()
	if info, is := doc["info"].(map[string]any); is {
		return info["commandType"].(string)
	}
	if strings.Contains(name, "list-devices") {
		return "devicectl.list.devices"
	}
	t.Fatalf("%s does not say what it is of", name)
	return ""
}

// TestOutputHasShapeOfSamples: every key of every recorded document is in ours, with the same type; and we print no key
// of a list, an install, a launch, … that no recording has.
func TestOutputHasShapeOfSamples(t *testing.T) {
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "fixtures")
	}
	files, err := filepath.Glob(filepath.Join(dir, "devicectl", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("no samples below %s", dir)
	}
	ours := ourShapes(t)
	seen := map[string]map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		var doc map[string]any
		if err != nil || json.Unmarshal(raw, &doc) != nil {
			t.Fatal(file, err)
		}
		command := commandOf(t, filepath.Base(file), doc)
		theirs := map[string]string{}
		shapes(doc, "", theirs)
		if seen[command] == nil {
			seen[command] = map[string]string{}
		}
		for path, kind := range theirs {
			seen[command][path] = kind
			if strings.HasPrefix(path, ".result.launchOptions.environmentVariables.") || strings.HasPrefix(path, ".info.environment.") {
				continue // names somebody chose
			}
			if got, has := ours[command][path]; !has || got != kind {
				t.Errorf("%s: %s is a %s there, %q here", filepath.Base(file), path, kind, got)
			}
		}
	}
	for command, theirs := range seen {
		for path := range ours[command] {
			_, known := theirs[path]
			chosen := strings.HasPrefix(path, ".result.launchOptions.") || strings.HasPrefix(path, ".info.") ||
				strings.HasPrefix(path, ".error")
			if !known && !chosen {
				t.Errorf("%s: nobody has recorded %s", command, path)
			}
		}
	}
}

// ourShapes are what our documents have, by command.
func ourShapes(t *testing.T) map[string]map[string]string {
	s := newTool(t)
	app := filepath.Join(s.dir, "Note.app")
	if err := os.MkdirAll(app, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"Info.plist": `<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.note</string></dict></plist>`,
		"ui.yaml":    "start: one\nscreens:\n  one:\n    title: One\n    elements: []\n",
	} {
		if err := os.WriteFile(filepath.Join(app, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]map[string]string{}
	add := func(args ...string) map[string]any {
		doc, _ := s.document(args...)
		command := at(doc, "info", "commandType").(string)
		if all[command] == nil {
			all[command] = map[string]string{}
		}
		shapes(doc, "", all[command])
		return doc
	}
	add("list", "devices")
	add("device", "info", "apps", "--device", phone, "--bundle-id", shop)
	add("device", "install", "app", "--device", phone, app)
	add("device", "install", "app", "--device", phone, "/nowhere.app")
	add("device", "process", "launch", "--device", phone, "com.example.nobody")
	doc := add("device", "process", "launch", "--device", phone, "com.example.note", "--arg")
	add("device", "info", "processes", "--device", phone)
	pid, err := json.Marshal(at(doc, "result", "process", "processIdentifier"))
	if err != nil {
		t.Fatal(err)
	}
	add("device", "process", "terminate", "--device", phone, "--pid", string(pid))
	add("device", "uninstall", "app", "--device", phone, "com.example.note")
	return all
}

// TestRecordedArgvIsAccepted: a command line that the real tool recorded in its own output is no wrong usage here.
func TestRecordedArgvIsAccepted(t *testing.T) {
	x, recorded := newTool(t), 0
	for _, s := range samples.Of(t, "devicectl") {
		var said struct{ Info struct{ Arguments []string } }
		if json.Unmarshal(s.Data, &said) != nil || len(said.Info.Arguments) < 2 {
			continue
		}
		recorded++
		words := said.Info.Arguments[1:]
		if i := slices.Index(words, "--json-output"); i >= 0 {
			words[i+1] = "out.json" // the recorded file is not on this machine
		}
		if _, errs, exit := x.run(words...); exit == swiftargs.ExitUsage {
			t.Errorf("%s: %q is refused:\n%s", s.Name, words, errs)
		}
	}
	if recorded < 10 {
		t.Errorf("%d recorded command lines, want at least 10", recorded)
	}
}
