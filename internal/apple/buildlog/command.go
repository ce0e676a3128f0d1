package buildlog

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

var (
	bannerLine    = lazyregexp.New(`^\*\* (.+?) (SUCCEEDED|FAILED|INTERRUPTED|CANCELLED) \*\*(?: \[([\d.]+) sec\])?$`)
	swiftComplete = lazyregexp.New(`^(?:Build complete!|Compile(?:ing)? complete!)(?: \(([\d.]+)s\))?$`)
	commandFailed = lazyregexp.New(`^Command (.+?) (?:failed with (?:a nonzero exit code|exit code \d+)|failed due to signal .*` +
		`|emitted errors but .*)$`)
)

// banner reads ** BUILD FAILED ** and its kind.
func (r *Reader) banner(s string) bool {
	if s[0] != '*' && s[0] != 'B' && s[0] != 'C' {
		return false
	}
	var o Outcome
	if m := bannerLine.FindStringSubmatch(s); m != nil {
		o = Outcome{Action: m[1], Result: m[2], Seconds: number(m[3])}
	} else if m := swiftComplete.FindStringSubmatch(s); m != nil {
		o = Outcome{Action: "BUILD", Result: "SUCCEEDED", Seconds: number(m[1])}
	} else {
		return false
	}
	r.closeCurrent()
	if len(r.log.Outcomes) < maxList {
		r.log.Outcomes = append(r.log.Outcomes, o)
	}
	r.task, r.target, r.project, r.tail = "", "", "", r.tail[:0]
	return true
}

// command reads that a step failed. If no earlier message says why, the step's last lines are the reason.
func (r *Reader) command(s string) bool {
	if !strings.HasPrefix(s, "Command ") {
		return false
	}
	m := commandFailed.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.closeCurrent()
	d := Diagnostic{Severity: Error, Message: s, Consequence: r.taskErrors > 0, Category: commandCategory(m[1], r.task)}
	if r.target != "" {
		d.Targets, d.Project = []string{r.target}, r.project
	}
	if !d.Consequence {
		d.Output = append([]string(nil), r.tail...)
	}
	r.open(d, nothing)
	return true
}

var categoryOfTask = map[string]Category{
	"PhaseScriptExecution": Script, "Ld": Link, "Libtool": Link, "CreateUniversalBinary": Link, "CodeSign": Sign,
	"ProcessProductPackaging": Sign, "CompileC": Compile, "CompileSwift": Compile, "SwiftCompile": Compile, "CompileSwiftSources": Compile,
	"SwiftEmitModule": Compile, "EmitSwiftModule": Compile, "SwiftDriver": Compile, "SwiftGeneratePch": Compile,
	"CompileAssetCatalog": Compile, "CompileAssetCatalogVariant": Compile, "CompileStoryboard": Compile, "CompileXIB": Compile,
	"PrecompileModule": Compile, "ScanDependencies": Compile, "CompileMetalFile": Compile, "DataModelCompile": Compile,
}

func commandCategory(command, task string) Category {
	if c, ok := categoryOfTask[command]; ok {
		return c
	}
	if c, ok := categoryOfTask[task]; ok {
		return c
	}
	if strings.HasSuffix(command, "/sh") {
		return Script
	}
	return Other
}

// keywords find the category of a message without a place in source code. The first match wins.
var keywords = []struct {
	is    Category
	words []string
}{
	{Destination, []string{"destination specifier", "unable to find a destination", "unable to find a device", "matching destinations"}},
	{Sign, []string{"provisioning profile", "signing certificate", "development team", "code sign", "codesign", "signing for ",
		"requires signing", "errsec", "entitlements", "no profile", "signing identity", "no account for team", "bundle identifier"}},
	{Package, []string{"package", "could not resolve", "dependencies could not be resolved", "manifest", "failed to clone", "artifact"}},
	{Link, []string{"linker command failed", "undefined symbol", "duplicate symbol", "framework not found", "library not found"}},
	{Script, []string{"phasescriptexecution", "script phase", "run script build phase"}},
	{Testing, []string{"test target", "test runner", "test session", "testing", "xctest"}},
	{Compile, []string{"compile command failed", "emit-module command failed", "swift compiler", "malformed or corrupted ast", "module map",
		"build input file", "no such module", "merge-module", "no such file or directory: '", "asset catalog", "app icon", "storyboard"}},
}

var compilers = map[string]bool{"clang": true, "clang++": true, "swiftc": true, "swift": true, "swift-frontend": true,
	"actool": true, "ibtool": true, "metal": true}

// categorise returns the category of a diagnostic.
func (r *Reader) categorise(d Diagnostic) Category {
	switch {
	case d.Test != "":
		return Testing
	case d.Tool == "ld", strings.HasPrefix(d.Message, "linker command failed"):
		return Link
	case d.Line > 0:
		return Compile
	case len(d.Places.Available)+len(d.Places.Ineligible)+len(d.Places.Requested) > 0:
		return Destination
	}
	text := strings.ToLower(d.Message)
	for _, k := range keywords {
		for _, w := range k.words {
			if strings.Contains(text, w) {
				return k.is
			}
		}
	}
	switch {
	case compilers[d.Tool]:
		return Compile
	case strings.HasSuffix(d.File, ".xcassets"), strings.HasSuffix(d.File, ".storyboard"), strings.HasSuffix(d.File, ".xib"),
		d.File == "<unknown>":
		return Compile
	case d.File == "" && d.Tool == "" && r.tests.running():
		return Testing // output of the tested program
	case r.task == "PhaseScriptExecution" && d.Tool != "xcodebuild":
		return Script
	}
	return Other
}

// consequence reports whether a message only reports another failure.
func consequence(d Diagnostic) bool {
	if !d.Severity.Bad() {
		return false
	}
	for _, say := range []string{"linker command failed with exit code", "Testing cancelled because the build failed",
		"emit-module command failed with exit code", "compile command failed with exit code", "fatalError"} {
		if strings.HasPrefix(d.Message, say) {
			return true
		}
	}
	return false
}

func number(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}
