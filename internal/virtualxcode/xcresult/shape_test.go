package xcresult_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/xcresult"
)

// shape is, for each kind of object, how often it occurs and how often each key with a type is in it. Objects are told
// apart by what kind says of them, else by the keys that lead to them.
type shape struct {
	seen map[string]int
	keys map[string]map[string]int
}

func shapeOf(values ...any) shape {
	s := shape{map[string]int{}, map[string]map[string]int{}}
	for _, v := range values {
		s.walk(v, "top")
	}
	return s
}

func kind(o map[string]any, at string) string {
	if name, ok := o["nodeType"].(string); ok {
		return name
	}
	if about, ok := o["_type"].(map[string]any); ok {
		return fmt.Sprint(about["_name"])
	}
	return at
}

func (s shape) walk(v any, at string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s.walk(item, at)
		}
	case map[string]any:
		name := kind(v, at)
		s.seen[name]++
		for key, item := range v {
			if s.keys[name] == nil {
				s.keys[name] = map[string]int{}
			}
			s.keys[name][fmt.Sprintf("%s %T", key, item)]++
			s.walk(item, strings.ReplaceAll(key, "childActivities", "activities"))
		}
	}
}

// TestOutputHasKeysOfRealXcresulttool: what we print has no key the real tool never prints there, and lacks none that it always prints.
func TestOutputHasKeysOfRealXcresulttool(t *testing.T) {
	all := []string{"--path", "R.xcresult"}
	for _, tc := range []struct {
		name    string
		argv    []string
		samples []string
		ours    string // keys that no sample has, with a reason in the marks
	}{
		{"summary", []string{"get", "test-results", "summary"}, []string{"xcresulttool-summary-2.json",
			"xcresulttool-summary-passed-1.json", "xcresulttool-kickstarter-summary.json"}, ""},
		{"tests", []string{"get", "test-results", "tests"},
			[]string{"xcresulttool-tests-1.json", "xcresulttool-tests-failed-expected-skipped.json", "xcresulttool-kickstarter-tests.json",
				"trainer-xcode16-mixed.json", "test-results-diogot-failures.json"}, ""},
		{"details", []string{"get", "test-results", "test-details", "--test-id", "CartTests/testDevice()"},
			[]string{"xcresulttool-test-details-skipped.json", "xcresulttool-test-details-performance.json"}, ""},
		{"activities", []string{"get", "test-results", "activities", "--test-id", "LaunchTests/testLaunch()"},
			[]string{"xcresulttool-activities-testLaunch.json"}, ""},
		{"insights", []string{"get", "test-results", "insights"}, []string{"xcresulttool-insights-empty.json"}, ""},
		{"build-results", []string{"get", "build-results"}, []string{"build-results-neoxcd.json", "build-results-diogot-clean.json",
			"build-results-diogot-errors.json"}, "osBuildNumber"},
		{"record", []string{"get", "object", "--legacy", "--format", "json"}, []string{"legacy-tuist-invocation.json",
			"legacy-marathon-invocation-1.json", "legacy-invocation-record.json", "legacy-flutter-issues.json",
			"legacy-flutter-no-provisioning-profile.json"},
			"producingTarget hasCoverageData reportRef archiveRef errorCount warningCount testsSkippedCount errorSummaries " +
				"warningSummaries"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, _ := ask(t, 0, "xcresulttool", append(tc.argv, all...)...)
			var v any
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
			compare(t, shapeOf(v), shapeOf(samples(t, tc.samples...)...), tc.ours)
		})
	}
}

// TestLegacyReferencesLeadToTestSummaries follows the references of the older commands, as their readers do.
func TestLegacyReferencesLeadToTestSummaries(t *testing.T) {
	out, _ := ask(t, 0, "xcresulttool", "get", "--legacy", "--format", "json", "--path", "R.xcresult")
	refs := regexp.MustCompile(`"testsRef"[^~]*?"_value" : "(0~[^"]+)"`).FindStringSubmatch(out)
	if refs == nil {
		t.Fatal(out)
	}
	id := strings.ReplaceAll(refs[1], `\/`, "/")
	out, _ = ask(t, 0, "xcresulttool", "get", "object", "--legacy", "--id", id, "--path", "R.xcresult")
	var v any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	ref := regexp.MustCompile(`"summaryRef"[^~]*?"_value" : "(0~[^"]+)"`).FindStringSubmatch(out)
	golden(t, "legacy-plan", out)
	summary, _ := ask(t, 0, "xcresulttool", "get", "object", "--legacy", "--id", ref[1], "--path", "R.xcresult")
	golden(t, "legacy-test", summary)
	for name, title := range map[string]string{"legacy-ui-test": "testLaunch", "legacy-repeated-test": "testFlaky"} {
		one := regexp.MustCompile(`(?s)"_value" : "` + title +
			`\(\)".{0,400}?"summaryRef"[^~]*?"_value" : "(0~[^"]+)"`).FindStringSubmatch(out)
		if one == nil {
			t.Fatalf("no %s in %s", title, out)
		}
		summary, _ := ask(t, 0, "xcresulttool", "get", "object", "--legacy", "--id", one[1], "--path", "R.xcresult")
		golden(t, name, summary)
	}
	ask(t, 1, "xcresulttool", "get", "object", "--legacy", "--id", "0~nonsense", "--path", "R.xcresult")
	compare(t, shapeOf(v), shapeOf(samples(t, "legacy-marathon-testplan.json")...), "")
}

func compare(t *testing.T, ours, theirs shape, allowed string) {
	t.Helper()
	for name, keys := range ours.keys {
		if theirs.seen[name] == 0 {
			if !strings.Contains(" "+allowed+" ", " "+name+" ") {
				t.Logf("no sample has a %s", name)
			}
			continue
		}
		for key := range keys {
			if theirs.keys[name][key] == 0 && !strings.Contains(" "+allowed+" ", " "+strings.Fields(key)[0]+" ") {
				t.Errorf("%s: no sample has %s", name, key)
			}
		}
	}
	for name, keys := range theirs.keys {
		for key, n := range keys {
			if n == theirs.seen[name] && ours.seen[name] > 0 && ours.keys[name][key] < ours.seen[name] {
				t.Errorf("%s: every sample has %s", name, key)
			}
		}
	}
}

func TestCommandsMatchGoldenFiles(t *testing.T) {
	for name, argv := range map[string][]string{
		"summary": {"get", "test-results", "summary", "--path", "R.xcresult"}, "tests": {"get", "test-results", "tests", "--path",
			"R.xcresult"},
		"build-results": {"get", "build-results", "--path", "R.xcresult"}, "version": {"version"},
		"details":       {"get", "test-results", "test-details", "--test-id", "CartTests/testDevice()", "--path", "R.xcresult"},
		"details-speed": {"get", "test-results", "test-details", "--test-id", "SpeedTests/testSpeed()", "--path", "R.xcresult"},
		"activities":    {"get", "test-results", "activities", "--test-id", "LaunchTests/testLaunch()", "--path", "R.xcresult"},
		"insights":      {"get", "test-results", "insights", "--path", "R.xcresult"},
		"metrics":       {"get", "test-results", "metrics", "--path", "R.xcresult"},
		"availability":  {"get", "content-availability", "--path", "R.xcresult"},
		"log-build":     {"get", "log", "--type", "build", "--path", "R.xcresult"},
		"log-action":    {"get", "log", "--type", "action", "--path", "R.xcresult"},
		"log-console":   {"get", "log", "--type", "console", "--path", "R.xcresult"},
		"compare":       {"compare", "R.xcresult", "--baseline-path", "R.xcresult"},
		"legacy":        {"get", "object", "--legacy", "--path", "R.xcresult"},
		"help":          {"help", "export"},
	} {
		out, _ := ask(t, 0, "xcresulttool", argv...)
		golden(t, name, out)
	}
	for name, argv := range map[string][]string{
		"xccov-report": {"view", "--report", "--json", "R.xcresult"}, "xccov-text": {"view", "--report", "R.xcresult"},
		"xccov-targets": {"view", "--report", "--only-targets", "R.xcresult"}, "xccov-files": {"view", "--report", "--files-for-target",
			"Shop.app", "R.xcresult"},
		"xccov-functions":      {"view", "--report", "--functions-for-file", "Cart.swift", "R.xcresult"},
		"xccov-functions-json": {"view", "--report", "--functions-for-file", "Cart.swift", "--json", "R.xcresult"},
		"xccov-diff":           {"diff", "--json", "R.xcresult", "R.xcresult"},
		"xccov-list":           {"view", "--archive", "--file-list", "R.xcresult"}, "xccov-file": {"view", "--archive", "--file",
			"/Users/dev/Shop/Cart.swift", "--json", "R.xcresult"},
	} {
		out, _ := ask(t, 0, "xccov", argv...)
		golden(t, name, out)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is stale: run with -update (%v)", path, err)
	}
}

func TestInvalidCommandsPrintErrors(t *testing.T) {
	for _, tc := range []struct {
		exit int
		tool string
		argv string
		says string
	}{
		{64, "xcresulttool", "get --format json --path R.xcresult", "--legacy flag is required to use it."},
		{64, "xcresulttool", "get test-results summary", "Missing expected argument '--path <path>'"},
		{64, "xcresulttool", "get test-results test-details --path R.xcresult", "--test-id"},
		{64, "xcresulttool", "dance", "Unexpected argument 'dance'"},
		{64, "xcresulttool", "get build-results --path R.xcresult --nonsense", "Unknown option '--nonsense'"},
		{64, "xcresulttool", "get build-results --path", "Missing value for '--path'"},
		{64, "xcresulttool", "get log --path R.xcresult", "Missing expected argument '--type <type>'"},
		{64, "xcresulttool", "get log --type nonsense --path R.xcresult", "The value 'nonsense' is invalid"},
		{64, "xcresulttool", "export attachments --path R.xcresult", "--output-path"},
		{64, "xcresulttool", "export object --path R.xcresult --output-path x --type file --id 0~x", "--legacy flag is required"},
		{64, "xcresulttool", "get build-results extra --path R.xcresult", "Unexpected argument 'extra'"},
		{64, "xcresulttool", "compare R.xcresult", "--baseline-path"},
		{64, "xcresulttool", "merge R.xcresult --output-path M.xcresult", "<input-paths>"},
		{1, "xcresulttool", "get test-results metrics --test-id Nope --path R.xcresult", "not found"},
		{64, "xccov", "diff R.xcresult R.xcresult", "Usage"},
		{1, "xccov", "view --report --functions-for-file Nope.swift R.xcresult", "Nope.swift"},
		{1, "xcresulttool", "get build-results --path Nope.xcresult", "Error:"},
		{1, "xcresulttool", "get test-results test-details --test-id X/y --path R.xcresult", "not found"},
		{64, "xccov", "view --report", "Usage"},
		{1, "xccov", "view --report Nope.xcresult", "Error"},
		{1, "xccov", "view --file /nope R.xcresult", "Error"},
	} {
		if _, stderr := ask(t, tc.exit, tc.tool, strings.Fields(tc.argv)...); !strings.Contains(stderr, tc.says) {
			t.Errorf("%s: %s", tc.argv, stderr)
		}
	}
}

func TestDamagedBundlesAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "R.xcresult")
	if err := xcresult.Write(path, run()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "Data/data.virtual.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := xcresult.Read(path); err == nil {
		t.Error("read half a bundle")
	}
}
