package xcresult

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The older commands wrap every value in its type. supers are the supertypes of a type, nearest first.
var supers = map[string][]string{
	"ActionTestPlanRunSummary": {"ActionAbstractTestSummary"},
	"ActionTestableSummary":    {"ActionAbstractTestSummary"},
	"ActionTestSummaryGroup":   {"ActionTestSummaryIdentifiableObject", "ActionAbstractTestSummary"},
	"ActionTestMetadata":       {"ActionTestSummaryIdentifiableObject", "ActionAbstractTestSummary"},
	"ActionTestSummary":        {"ActionTestSummaryIdentifiableObject", "ActionAbstractTestSummary"},
	"TestFailureIssueSummary":  {"IssueSummary"},
}

func typeOf(name string) object {
	t := object{"_name": name}
	at := t
	for _, above := range supers[name] {
		next := object{"_name": above}
		at["_supertype"] = next
		at = next
	}
	return t
}

// typed is an object of a named type, without members that lack a value.
func typed(name string, members object) object {
	o := object{"_type": typeOf(name)}
	for key, v := range members {
		switch v := v.(type) {
		case nil:
		case string:
			o[key] = object{"_type": typeOf("String"), "_value": v}
		case int:
			o[key] = object{"_type": typeOf("Int"), "_value": strconv.Itoa(v)}
		case float64:
			o[key] = object{"_type": typeOf("Double"), "_value": strconv.FormatFloat(v, 'f', -1, 64)}
		case bool:
			o[key] = object{"_type": typeOf("Bool"), "_value": strconv.FormatBool(v)}
		case array:
			if len(v) > 0 {
				o[key] = object{"_type": typeOf("Array"), "_values": v}
			}
		default:
			o[key] = v
		}
	}
	return o
}

func date(seconds float64) object {
	return object{"_type": typeOf("Date"), "_value": time.UnixMilli(int64(seconds * 1000)).UTC().Format("2006-01-02T15:04:05.000-0700")}
}

// reference points to another object of the bundle.
func (b Bundle) reference(what, kind string) object {
	members := object{"id": b.id(what)}
	if kind != "" {
		members["targetType"] = definition(append([]string{kind}, supers[kind]...))
	}
	return typed("Reference", members)
}

func definition(names []string) object {
	members := object{"name": names[0]}
	if len(names) > 1 {
		members["supertype"] = definition(names[1:])
	}
	return typed("TypeDefinition", members)
}

// legacy is: get object --legacy; without an id it is the record of the whole run.
func legacy(b Bundle, q query) (any, error) {
	if q.id == "" || q.id == b.id("root") {
		return b.record(), nil
	}
	if q.id == b.id("tests") {
		return b.testPlans(), nil
	}
	for c := range b.cases() {
		if q.id == b.id(b.caseURL(c)) {
			return b.testSummary(c), nil
		}
	}
	return nil, fmt.Errorf("%s is not in the result bundle", q.id)
}

func (b Bundle) record() object {
	issues, metrics := b.issues(), b.metrics()
	return typed("ActionsInvocationRecord", object{
		"actions":     array{b.action(issues, metrics)},
		"issues":      issues,
		"metadataRef": b.reference("metadata", "ActionsInvocationMetadata"),
		"metrics":     metrics,
	})
}

func (b Bundle) metrics() object {
	n := b.counts(false)
	members := object{"errorCount": some(len(b.Build.Errors)), "warningCount": some(len(b.Build.Warnings)),
		"testsCount": some(n[Passed] + n[Failed] + n[Skipped] + n[ExpectedFailure]), "testsFailedCount": some(n[Failed]),
		"testsSkippedCount": some(n[Skipped])}
	return typed("ResultMetrics", members)
}

// some is n, or nil for zero.
func some(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func (b Bundle) issues() object {
	failures := array{}
	for c := range b.cases() {
		for _, f := range c.Failures {
			failures = append(failures, typed("TestFailureIssueSummary", object{
				"documentLocationInCreatingWorkspace": location(Issue{File: f.File, Line: f.Line}),
				"issueType":                           "Uncategorized", "message": f.Message, "producingTarget": c.bundle.Name,
				"testCaseName": strings.ReplaceAll(c.identifier(), "/", "."),
			}))
		}
	}
	return typed("ResultIssueSummaries", object{
		"errorSummaries":       list(b.Build.Errors, legacyIssue),
		"warningSummaries":     list(b.Build.Warnings, legacyIssue),
		"testFailureSummaries": failures,
	})
}

func legacyIssue(i Issue) any {
	members := object{"issueType": i.Type, "message": capital(i.Message), "producingTarget": i.Target}
	if i.File != "" {
		members["documentLocationInCreatingWorkspace"] = location(i)
	}
	return typed("IssueSummary", members)
}

func location(i Issue) object {
	return typed("DocumentLocation", object{"concreteTypeName": "DVTTextDocumentLocation", "url": i.url()})
}
