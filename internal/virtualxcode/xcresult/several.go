package xcresult

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// comparisonParts are the parts of a comparison.
var comparisonParts = []string{"--summary", "--test-failures", "--tests", "--build-warnings", "--analyzer-issues"}

// compareBundles is: compare, one bundle with an older one.
func compareBundles(t Tool, q query) error {
	if q.baseline == "" {
		return usageError("Missing expected argument '--baseline-path <baseline-path>'")
	}
	before, err := Read(q.abs(q.baseline))
	if err != nil {
		return err
	}
	after, err := Read(q.abs(q.others[0]))
	if err != nil {
		return err
	}
	all := comparison(before, after)
	out := object{}
	for _, part := range comparisonParts {
		if len(q.parts) == 0 || q.parts[part] {
			name := partNames[part]
			out[name] = all[name]
		}
	}
	fmt.Fprint(t.Stdout, encode(out, q, command{}))
	return nil
}

var partNames = map[string]string{"--summary": "summary", "--test-failures": "testFailures", "--tests": "testsExecuted",
	"--build-warnings": "buildWarnings", "--analyzer-issues": "analyzerIssues"}

func comparison(before, after Bundle) object {
	failures, tests := difference(before.failing(), after.failing()), difference(before.executed(), after.executed())
	warnings, analyzer := difference(texts(before.Build.Warnings), texts(after.Build.Warnings)), difference(texts(before.Build.Analyzer),
		texts(after.Build.Analyzer))
	return object{
		"summary": object{"testFailures": failures.counts("Introduced", "Resolved"), "testsExecuted": tests.counts("Added", "Removed"),
			"buildWarnings": warnings.counts("Introduced", "Resolved"), "analyzerIssues": analyzer.counts("Introduced", "Resolved")},
		"testFailures": failures.lists("introduced", "resolved"), "testsExecuted": tests.lists("added", "removed"),
		"buildWarnings": warnings.lists("introduced", "resolved"), "analyzerIssues": analyzer.lists("introduced", "resolved"),
	}
}

// change lists the items that only one side has.
type change struct{ added, removed []string }

func difference(before, after map[string]bool) (c change) {
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !before[name] {
			c.added = append(c.added, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !after[name] {
			c.removed = append(c.removed, name)
		}
	}
	return c
}

func (c change) counts(added, removed string) object {
	return object{"count" + added: len(c.added), "count" + removed: len(c.removed)}
}

func (c change) lists(added, removed string) object {
	same := func(s string) any { return s }
	return object{added: list(c.added, same), removed: list(c.removed, same)}
}

func (b Bundle) failing() map[string]bool {
	all := map[string]bool{}
	for c := range b.cases() {
		if c.Result == Failed {
			all[b.caseURL(c)] = true
		}
	}
	return all
}

func (b Bundle) executed() map[string]bool {
	all := map[string]bool{}
	for c := range b.cases() {
		all[b.caseURL(c)] = true
	}
	return all
}

func texts(issues []Issue) map[string]bool {
	all := map[string]bool{}
	for _, i := range issues {
		all[i.Message] = true
	}
	return all
}

// mergeBundles is: merge, several bundles into one.
func mergeBundles(t Tool, q query) error {
	if len(q.others) < 2 {
		return usageError("Missing expected argument '<input-paths> ...'")
	}
	to := q.abs(q.output)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s already exists", q.output)
	}
	var whole Bundle
	for i, path := range q.others {
		b, err := Read(q.abs(path))
		if err != nil {
			return err
		}
		if i == 0 {
			whole = b
			continue
		}
		whole.merge(b)
	}
	fmt.Fprintf(t.Stdout, "[v3] Merged to: %s\n", to)
	return Write(to, whole)
}

func (b *Bundle) merge(o Bundle) {
	b.Start, b.End = min(b.Start, o.Start), max(b.End, o.End)
	b.Tests = append(b.Tests, o.Tests...)
	b.Coverage = append(b.Coverage, o.Coverage...)
	b.HasCoverage, b.Tested = b.HasCoverage || o.HasCoverage, b.Tested || o.Tested
	b.Build.Errors, b.Build.Warnings = append(b.Build.Errors, o.Build.Errors...), append(b.Build.Warnings, o.Build.Warnings...)
	b.Build.Analyzer = append(b.Build.Analyzer, o.Build.Analyzer...)
	if o.Build.Status == "failed" || b.Build.Status == "notRequested" {
		b.Build.Status = o.Build.Status
	}
}
