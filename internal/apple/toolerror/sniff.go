package toolerror

import (
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/lazyregexp"
)

// steps match log lines after the tool has started to work: such a text is a log, and the error is one of its lines.
var steps = lazyregexp.New(`(?m)^(?:\*\* [A-Z ]+ (?:SUCCEEDED|FAILED) \*\*|Test [CcSs]\w+ '|(?:CompileC|SwiftCompile` +
	`|CompileSwift|Ld|PhaseScriptExecution|CodeSign) |=== BUILD |\S+:\d+:\d+: (?:fatal )?error: |error: exportArchive|(?:clang|ld): )`)

// shortText is the maximum number of lines before the essential line of a tool's error.
const shortText = 12

var ownLog = lazyregexp.New(`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |Timestamp |Filtering the log)`)

// Sniff returns a percentage for the text being the error of a tool.
func Sniff(b []byte) int {
	b = b[:min(len(b), 1<<18)]
	if jsondoc.Look(b).Kind != 0 && len(jsondoc.Look(b).Keys) > 0 || steps.Match(b) {
		return 0
	}
	score := 0
	for i, s := range lines.All(b) {
		s = strings.TrimRight(s, " \t")
		switch {
		case i == 0 && ownLog.MatchString(s):
			return 0
		case simctlHead.MatchString(s), strings.HasPrefix(s, "ERROR: ") && coreDevice.MatchString(s):
			score = max(score, 95)
		case strings.HasPrefix(s, "xcodebuild: error: "), strings.HasPrefix(s, "xcrun: error: "), strings.HasPrefix(s, "xcode-select: "):
			score = max(score, 92)
		case toolLine.MatchString(s):
			score = max(score, 75)
		case plainErrors.MatchString(s), strings.HasPrefix(s, "ERROR: "):
			score = max(score, 70)
		case i < shortText && (strings.HasPrefix(s, "Error: ") || strings.HasPrefix(s, "Error Domain=")):
			score = max(score, 60) // a later line may come from another program
		}
	}
	return score
}
