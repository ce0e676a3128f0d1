// Package swiftcheck checks the Swift sources of a target for Virtual Xcode, which compiles nothing. A Checker with a Swift compiler checks
// the syntax of all files, and the types of modules that need nothing but Swift, Foundation and other modules of the build. Without a
// compiler, Form checks brackets, strings, comments and #if. An error that can come from a missing framework is never an Issue. Tests runs
// the tests of a package. This package must not know projects or logs.
package swiftcheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/lazyregexp"
)

// Issue is an error of a file, or a note about it; line and column count from one.
type Issue struct {
	Severity, Message, File string
	Text                    string // of the line
	Line, Column            int
}

// String is the issue as compilers print it.
func (i Issue) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", i.File, i.Line, i.Column, i.Severity, i.Message)
}

// Module is the sources of a target.
type Module struct {
	Name       string
	Files      []string // absolute paths of all files
	Fresh      []string // the files to check; types are checked in all of them
	Conditions []string // of #if
	Needs      []string // modules of the same build
	Dir        string   // folder for compiled modules, shared by a build
}

// Result is what was checked in a module.
type Result struct {
	Issues    []Issue
	Syntax    bool     // by the compiler; else Form was checked
	Types     []string // the files whose types were checked
	Untyped   []string // the other ones
	Because   string   // a reason for Untyped, such as the name of a module
	NotUsable string   // why the compiler was not used, if there is one
}

// Checker checks modules. The zero value has no compiler.
type Checker struct {
	Run   host.Runner
	Swift string // the path of swiftc
}

// Limits of one run of the compiler.
const (
	longest    = 2 * time.Minute
	mostOutput = 1 << 20
	mostFiles  = 500 // of one run, and of a module whose types are checked
	maxSource  = 4 << 20
)

// Find returns the path of swiftc in a list of folders like PATH, or "". The swiftc of macOS in /usr/bin may ask for Xcode in a window.
func Find(folders string) string {
	for _, dir := range filepath.SplitList(folders) {
		path := filepath.Join(dir, "swiftc")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(path) &&
			(runtime.GOOS != "darwin" || dir != "/usr/bin") {
			return path
		}
	}
	return ""
}

// Key names the compiler and its version, or is empty: results of other keys are out of date.
func (c Checker) Key() string {
	info, err := os.Stat(c.Swift)
	if c.Swift == "" || err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", c.Swift, info.Size(), info.ModTime().UnixNano())
}

// Check checks the fresh files of a module. Its error is that of ctx.
func (c Checker) Check(ctx context.Context, m Module) (Result, error) {
	r := Result{Untyped: m.Files, Because: "no swiftc"}
	if c.Swift != "" {
		err := c.compiled(ctx, m, &r)
		var broken *unusable
		if !errors.As(err, &broken) {
			return r, err
		}
		r.NotUsable = broken.Error()
	}
	for _, file := range m.Fresh {
		data, err := regularfile.Read(file, maxSource)
		if err != nil {
			continue // the build reports it
		}
		r.Issues = append(r.Issues, Form(file, string(data))...)
	}
	return r, ctx.Err()
}

// unusable says that the compiler did not work.
type unusable struct{ why string }

func (u *unusable) Error() string { return u.why }

// compiled checks with the compiler.
func (c Checker) compiled(ctx context.Context, m Module, r *Result) error {
	var slashes []string
	for chunk := range slices.Chunk(m.Fresh, mostFiles) {
		issues, mode, err := c.parse(ctx, chunk)
		if err != nil {
			return err
		}
		r.Issues, slashes = append(r.Issues, issues...), mode
	}
	r.Syntax, r.Because = true, "errors"
	if len(r.Issues) > 0 {
		return nil
	}
	return c.types(ctx, m, r, slashes)
}

// bareSlashes lets /x/ be a regular expression, as in Swift 6. Projects and packages can set it in several places, so both modes are tried.
const bareSlashes = "-enable-bare-slash-regex"

// parse returns the errors of syntax. A file has errors only if it has them whatever a slash means; mode has the option that fits.
func (c Checker) parse(ctx context.Context, files []string) (issues []Issue, mode []string, err error) {
	for _, mode := range [][]string{{bareSlashes}, nil} {
		found, err := c.run(ctx, slices.Concat([]string{"-parse"}, mode, files))
		if err != nil || !slices.ContainsFunc(found, isError) {
			return nil, mode, err
		}
		issues = append(found, issues...)[:len(found)] // of the last mode, which has no regular expressions to misread
	}
	return issues, nil, nil
}

func isError(i Issue) bool { return i.Severity == "error" }

// diagnostic is a line of the compiler.
var diagnostic = lazyregexp.New(`^(.+?):(\d+):(\d+): (error|warning|note): (.*)$`)

// newer are errors of compilers before Swift 6.1 and 6.2 about what these accept: a comma at the end of a list, and new attributes.
var newer = lazyregexp.New(`^unexpected ',' separator$|^unknown (?:option|attribute) '`)

// run runs the compiler's frontend and returns its errors and their notes.
func (c Checker) run(ctx context.Context, args []string) (issues []Issue, err error) {
	args = slices.Concat([]string{"-frontend"}, args[:1], []string{"-swift-version", "5", "-diagnostic-style", "llvm"}, args[1:])
	res, err := c.Run.Run(ctx, host.Cmd{Name: c.Swift, Args: args, Timeout: longest, MaxOutput: mostOutput})
	var exit *host.ExitError
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && (!errors.As(err, &exit) || exit.Signal != "") {
		return nil, &unusable{err.Error()}
	}
	keep, understood := false, false
	for line := range strings.Lines(string(res.Stderr)) {
		m := diagnostic.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		understood = true
		if m[4] != "note" {
			keep = m[4] == "error" && !newer.MatchString(m[5])
		}
		if keep {
			issues = append(issues, issueAt(m[1], number(m[2]), number(m[3]), m[4], m[5]))
		}
	}
	if err != nil && !understood {
		return nil, &unusable{err.Error()}
	}
	return issues, nil
}

func number(digits string) (n int) {
	for _, d := range digits[:min(len(digits), 9)] {
		n = n*10 + int(d-'0')
	}
	return n
}

// issueAt is an issue with the text of its line.
func issueAt(file string, line, column int, severity, message string) Issue {
	i := Issue{Severity: severity, Message: message, File: file, Line: line, Column: column}
	data, err := regularfile.Read(file, maxSource)
	if err != nil {
		return i
	}
	for text := range strings.Lines(string(data)) {
		if line--; line == 0 {
			i.Text = strings.TrimRight(text, "\r\n")
			break
		}
	}
	return i
}
