package virtualxcode_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A family is outputs of one kind: recorded ones and ours. What the recorded ones have and ours never have must be named,
// with a reason, in testdata/shapes; so must what only ours have. Anything else is new, and fails.
type family struct {
	name    string
	samples []string // patterns below the folder of samples
	ours    func(*testing.T) map[string][]byte
	shape   func(t *testing.T, name string, data []byte) []string
}

func families() []family {
	xcodebuild, xcresult := goldens("xcodebuild"), goldens("xcresult")
	return []family{
		{"xcodebuild-log", []string{"xcodebuild/*.log", "xcodebuild/[^sx]*.txt", "xcodebuild/xcode-*.txt", "xcodebuild/stoic*.txt",
			"xcodebuild/swift-*.txt", "xcodebuild/showdest*.txt", "tool-errors/xcodebuild*"}, xcodebuild("*.txt", "version*", "settings*",
			"list*", "showsdks*", "enumerate*", "bad-option*", "test-plans*"), lines("xcodebuild")},
		{"xcodebuild-settings", []string{"xcodebuild/showBuildSettings*.txt"}, xcodebuild("settings.txt"), lines("settings")},
		{"xcodebuild-json", []string{"xcodebuild/*.json", "xcodebuild/sdks*.txt"}, xcodebuild("*json.txt", "enumerate*"), keys},
		{"test-results", []string{"xcresult/xcresulttool-*.json", "xcresult/trainer*.json", "xcresult/test-results*.json"},
			xcresult("{summary,tests,details,details-speed,activities,insights,metrics}.txt"), keys},
		{"build-results", []string{"xcresult/build-results*.json"}, xcresult("build-results.txt"), keys},
		{"legacy-results", []string{"xcresult/legacy*.json"}, xcresult("legacy*.txt"), keys},
		{"simctl-json", []string{"simctl/*.json"}, simctlOutputs("json"), keys},
		{"simctl-list", []string{"simctl/list-*.txt", "simctl/runloop*.txt"}, simctlOutputs("text"), lines("simctl")},
		{"simctl-listapps", []string{"simctl/listapps*.txt"}, simctlOutputs("listapps"), lines("listapps")},
		{"simctl-errors", []string{"tool-errors/*simctl*.txt"}, simctlOutputs("errors"), lines("errors")},
		{"log-json", []string{"oslog/*.ndjson"}, simctlOutputs("ndjson"), keys},
		{"log-text", []string{"oslog/ios-sim-default.log", "oslog/watch-launch-compact.log", "oslog/flutter-sim*.log",
			"oslog/nativescript*.log"}, simctlOutputs("log"), lines("log")},
	}
}

func TestSamplesAndVirtualOutputsHaveTheSameShape(t *testing.T) {
	dir := os.Getenv("IOS_AGENT_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "fixtures")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no samples of the real tools: set IOS_AGENT_SAMPLES or put them at %s", dir)
	}
	seen := map[string]bool{}
	for _, f := range families() {
		t.Run(f.name, func(t *testing.T) {
			theirs := map[string]string{} // an entry and where it was found
			for _, pattern := range f.samples {
				found, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil || len(found) == 0 {
					t.Fatalf("%v: no samples %s", err, pattern)
				}
				for _, file := range found {
					data, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					seen[file] = true
					for _, entry := range f.shape(t, filepath.Base(file), data) {
						theirs[entry] = filepath.Base(file)
					}
				}
			}
			ours := map[string]string{}
			for name, data := range f.ours(t) {
				for _, entry := range f.shape(t, name, data) {
					ours[entry] = name
				}
			}
			judge(t, f.name, ours, theirs)
		})
	}
	for _, kind := range []string{"xcodebuild", "xcresult", "simctl", "tool-errors", "oslog"} {
		files, _ := filepath.Glob(filepath.Join(dir, kind, "*"))
		for _, file := range files {
			if _, ok := otherSamples[filepath.Base(file)]; !ok && !seen[file] {
				t.Errorf("%s/%s is compared with nothing", kind, filepath.Base(file))
			}
		}
	}
}

// otherSamples are those of things that these tools do not print, or that belong to no family.
var otherSamples = map[string]string{
	"xctool-objc-build.txt":                              "events of xctool, another program",
	"raw-bundle-BuildError.bracket.txt":                  "the inside of a bundle; ours has another",
	"coresimulator-service.log":                          "a log of the service itself",
	"device-syslog-ios9.log":                             "a device's, read by another program",
	"idevicesyslog-flutter-multiline.log":                "a device's, read by another program",
	"simulator-system-asl.log":                           "a log file that simulators have not had since 2016",
	"syslog-relay-syslogmessages.bin":                    "a service of devices",
	"devicectl-launch-console.txt":                       "devicectl is not imitated",
	"devicectl-stderr-1-devicectl-fails-install.txt":     "devicectl is not imitated",
	"devicectl-stderr-3-devicectl-fails-to-get-apps.txt": "devicectl is not imitated",
	"lldb-attach-stopped.txt":                            "lldb is not imitated here",
}

// judge compares both with what was allowed: a line of the list is - or +, an entry, a tab and a reason.
func judge(t *testing.T, name string, ours, theirs map[string]string) {
	t.Helper()
	path := filepath.Join("testdata", "shapes", name+".txt")
	allowed, err := readAllowed(path)
	if err != nil {
		t.Fatal(err)
	}
	differences := map[string]string{}
	for entry, where := range theirs {
		if _, both := ours[entry]; !both {
			differences["- "+entry] = where
		}
	}
	for entry, where := range ours {
		if _, both := theirs[entry]; !both {
			differences["+ "+entry] = where
		}
	}
	for _, d := range slices.Sorted(maps.Keys(differences)) {
		if allowed[d] == "" && !matchesAny(allowed, d) {
			t.Errorf("%s\t(in %s)", d, differences[d])
		}
	}
	for _, d := range slices.Sorted(maps.Keys(allowed)) {
		if _, there := differences[d]; !there && !slices.ContainsFunc(slices.Collect(maps.Keys(differences)), func(o string) bool {
			return fits(d, o)
		}) {
			t.Errorf("%s allows %q, which is no difference any more", path, d)
		}
	}
}

// fits lets an entry that ends in * stand for all that begin like it.
func fits(pattern, entry string) bool {
	head, star := strings.CutSuffix(pattern, "*")
	return star && strings.HasPrefix(entry, head)
}

func matchesAny(allowed map[string]string, entry string) bool {
	for pattern, reason := range allowed {
		if reason != "" && fits(pattern, entry) {
			return true
		}
	}
	return false
}

func readAllowed(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		entry, reason, ok := strings.Cut(line, "\t")
		if !ok || strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %q has no reason", path, line)
		}
		all[entry] = strings.TrimSpace(reason)
	}
	return all, nil
}

// rule names the lines that a pattern fits; $1 in the name is what the pattern caught.
type rule struct {
	name    string
	pattern *regexp.Regexp
}

// grammar reads the rules of a kind of text. The first that fits counts.
func grammar(t *testing.T, name string) (rules []rule) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "shapes", name+".grammar"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		kind, pattern, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%s: a rule without a pattern: %q", name, line)
		}
		rules = append(rules, rule{kind, regexp.MustCompile("^(?:" + pattern + ")$")})
	}
	return rules
}

// lines are the kinds of the lines of a text. What stands below a line whose kind ends in … belongs to it until a line
// is empty or has a kind of its own. Other lines are unknown: of a sample that is one difference, of ours an error.
func lines(name string) func(*testing.T, string, []byte) []string {
	var rules []rule
	return func(t *testing.T, file string, data []byte) (entries []string) {
		if rules == nil {
			rules = grammar(t, name)
		}
		above := ""
		scanner := bufio.NewScanner(bytes.NewReader(data))
		scanner.Buffer(nil, 4<<20)
		for scanner.Scan() {
			line := strings.TrimSuffix(strings.ToValidUTF8(scanner.Text(), "?"), "\r")
			kind := classify(rules, line)
			switch {
			case line == "" || strings.HasPrefix(line, "-- std") && strings.HasSuffix(line, " --"):
				above = ""
				continue
			case kind == "" && above != "":
				kind = "below: " + above
			case kind == "":
				kind = "unknown lines in " + file
				if !slices.Contains(entries, kind) {
					t.Logf("%s: unknown: %.160q", file, line)
				}
			case strings.HasSuffix(kind, "…"):
				above = strings.TrimSuffix(kind, "…")
				kind = above
			default:
				above = ""
			}
			entries = append(entries, kind)
		}
		if err := scanner.Err(); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return entries
	}
}

func classify(rules []rule, line string) string {
	for _, r := range rules {
		if m := r.pattern.FindStringSubmatchIndex(line); m != nil {
			return string(r.pattern.ExpandString(nil, r.name, line, m))
		}
	}
	return ""
}

// dataKeys are the keys whose objects have keys that are data.
var dataKeys = []string{"devices", "pairs", "buildSettings", "runtime match"}

// keys are the keys of JSON with their types, by the kind of object they are in.
func keys(t *testing.T, file string, data []byte) (entries []string) {
	if rest, ok := bytes.CutPrefix(data, []byte("-- stdout --\n")); ok {
		data, _, _ = bytes.Cut(rest, []byte("-- stderr --\n"))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		at := "top"
		if strings.HasPrefix(file, "runtime-match") {
			at = "runtime match"
		}
		entries = append(entries, keysOf(v, at)...)
	}
	return entries
}

func keysOf(v any, at string) (entries []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			entries = append(entries, keysOf(item, at)...)
		}
	case map[string]any:
		kind := at
		if name, ok := v["nodeType"].(string); ok {
			kind = name
		} else if about, ok := v["_type"].(map[string]any); ok {
			kind = fmt.Sprint(about["_name"])
		}
		for key, item := range v {
			name := key
			if slices.Contains(dataKeys, at) {
				name = "*"
			}
			entries = append(entries, fmt.Sprintf("%s.%s %s", kind, name, jsonType(item)))
			if name == "*" {
				key = at + "[]"
			}
			entries = append(entries, keysOf(item, strings.ReplaceAll(key, "childActivities", "activities"))...)
		}
	}
	return entries
}

func jsonType(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case nil:
		return "null"
	case float64:
		return "number"
	}
	return fmt.Sprintf("%T", v)
}
