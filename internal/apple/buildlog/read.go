package buildlog

import (
	"bytes"
	"errors"

	"ios-agent/internal/text/lazyregexp"
)

// Read reads a whole log.
func Read(data []byte) (*Log, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the build log is empty")
	}
	var r Reader
	_, _ = r.Write(data)
	return r.End(), nil
}

// These occur only in logs. One match is enough, because logs are often cut.
var (
	steps = lazyregexp.New(`(?m)^(?:\[[^\]\n]*\]:? (?:▸ )?)?(?:\*\* [A-Z ]+ (?:SUCCEEDED|FAILED|INTERRUPTED) \*\*|Test [Cc]ase '` +
		`|Test [Ss]uite '|Testing failed:$|Failing tests:$` +
		`|(?:CompileC|SwiftCompile|CompileSwift|CompileSwiftSources|Ld|PhaseScriptExecution|CodeSign|ProcessInfoPlistFile` +
		`|SwiftDriver|ProcessPCH|CompileAssetCatalog) [^\n]*[/\\]` +
		`|=== (?:BUILD|CLEAN|ANALYZE) TARGET |Undefined symbols for architecture |\[\d+/\d+\] (?:Compiling|Linking|Emitting` +
		`|Building|Write)|Build complete!` +
		`|› (?:Compiling|Packaging|Executing|Linking) |Check dependencies$|Building for (?:debugging|production)|Compiling Swift Module ` +
		`|[A-Z][A-Za-z]+ [^\n]*\(in target '[^\n]*' from project '[^\n]*'\)$)`)
	marked = lazyregexp.New(`(?m)^\s*(?:[^\x00-\x7F\pL]{1,2}\s+(?:Test run (?:started|with)|(?:Test|Suite) .+ (?:started\.` +
		`|(?:passed|failed) after ))|[✖✗✔✓] .+ \([\d.]+ seconds\)$)`)
	placed   = lazyregexp.New(`(?m)^(?:/|\./|<unknown>|[\w./+ -]+\.\w+)[^\n:]*(?::\d+){1,2}: (?:fatal )?(?:error|warning|note): `)
	unplaced = lazyregexp.New(`(?m)^(?:(?:\.{0,2}/[^\n:]+|clang|ld|swiftc|swift|ibtool|actool): (?:fatal )?(?:error|warning): |ld: ` +
		`|error: exportArchive|(?:fatal )?error: |note: Building targets)`)
	plan = lazyregexp.New(`(?m)^(?:Command line invocation:|ComputeTargetDependencyGraph|CreateBuildDescription` +
		`|Resolve Package Graph|Build description path: )`)
	refused = lazyregexp.New(`(?m)^xcodebuild: error: `)
)

// Sniff returns a percentage for the text being a log of a build or of tests. A log in which xcodebuild refused before its first step is an
// error of the tool.
func Sniff(b []byte) int {
	const most = 1 << 18
	if len(b) > 2*most {
		b = append(b[:most:most], b[len(b)-most:]...)
	}
	switch {
	case foreign.Match(b[:min(len(b), 4096)]):
		return 0
	case steps.Match(b), marked.Match(b):
		return 95
	case placed.Match(b):
		return 90
	case refused.Match(b):
		return 30
	case plan.Match(b):
		return 80
	case unplaced.Match(b):
		return 65
	}
	return 0
}

// foreign are beginnings of other documents that may contain the lines of a log: JSON, a plist, crash reports, unified logs.
var foreign = lazyregexp.New(`\A\s*(?:\{\s*["}]|\[\s*[{"\]]|\[T\[K|<\?xml|<\w|Incident Identifier:|Process: ` +
	`|Filtering the log data|Timestamp  )`)
