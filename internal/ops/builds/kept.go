package builds

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/telemetry/builds"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
	"ios-agent/internal/ui"
	"ios-agent/internal/xcode/builder"
)

// buildList shows the stored builds and test runs.
type buildList struct{ store *telemetry.Store }

// NewBuildList makes the operations on stored builds.
func NewBuildList(store *telemetry.Store) *buildList { return &buildList{store} }

// Ops lists the operations on stored builds.
func (b *buildList) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "list_builds", Groups: []string{"logs"}, Verb: "builds", Route: "GET /api/v1/builds",
			Summary: "List recent builds and test runs with results and logs",
			Hints:   op.ReadOnly | op.Idempotent, Next: []string{"show_build"}, Examples: []string{"builds", "builds --limit 3 --failed"},
		}, b.list),
		op.New(op.Spec{
			Name: "show_build", Groups: []string{"logs"}, Verb: "builds show", Route: "GET /api/v1/builds/{id}",
			Summary: "Show the errors, warnings and failed tests of a build", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"builds show latest", "builds show b1f2e3d4"},
		}, b.show),
	}
}

// buildsIn says which builds to list.
type buildsIn struct {
	Scheme string `json:"scheme,omitempty" doc:"only this scheme"`
	Failed bool   `json:"failed,omitempty" doc:"only failed builds"`
	Limit  int    `json:"limit,omitempty" doc:"maximum number" default:"10" min:"1" max:"100" more:"true"`
}

// KeptBuild is a stored build or test run.
type KeptBuild struct {
	ID           string       `json:"id"`
	Time         time.Time    `json:"time"`
	Status       string       `json:"status"` // succeeded, failed or not_run
	Action       string       `json:"action"`
	Scheme       string       `json:"scheme,omitempty"`
	Config       string       `json:"configuration,omitempty"`
	Project      string       `json:"project_path,omitempty"`
	Workspace    string       `json:"workspace_path,omitempty"`
	Destination  string       `json:"destination,omitempty"`
	UDID         string       `json:"udid,omitempty"`
	Session      string       `json:"session,omitempty"`
	TookMS       int64        `json:"took_ms"`
	ErrorCount   int          `json:"error_count"`
	WarningCount int          `json:"warning_count"`
	Tests        *TestsOut    `json:"tests,omitempty"` // cases: the failed tests only
	Diagnostics  []Diagnostic `json:"diagnostics,omitempty"`
	Log          string       `json:"log,omitempty"`
	OtherLogs    []string     `json:"other_logs,omitempty"`
	Xcresult     string       `json:"xcresult_path,omitempty"`
}

func keptBuild(r builds.Result) KeptBuild {
	out := KeptBuild{
		ID: r.ID, Time: r.Time, Status: r.Status(), Action: r.Action, Scheme: r.Scheme, Config: r.Configuration,
		Destination: r.Destination, UDID: r.Device, Session: r.Session, TookMS: r.TookMS, ErrorCount: r.ErrorCount,
		WarningCount: r.WarningCount, Xcresult: r.Bundle,
	}
	if out.Project = r.Project; filepath.Ext(r.Project) == ".xcworkspace" {
		out.Project, out.Workspace = "", r.Project
	}
	if n := len(r.Logs); n > 0 {
		out.Log, out.OtherLogs = r.Logs[n-1], r.Logs[:n-1]
	}
	if t := r.Tests; t != nil {
		out.Tests = &TestsOut{
			Total: t.Total, Passed: t.Passed, Failed: t.Failed, Skipped: t.Skipped, NotRun: t.NotRun, From: t.From, Cases: []TestOut{},
		}
	}
	return out
}

// head is the build in one line.
func (o KeptBuild) head() string {
	what := brief.Join(" ", o.Action, o.Scheme)
	if of := cmp.Or(o.Project, o.Workspace); o.Scheme == "" && of != "" {
		what += " " + filepath.Base(of)
	}
	text := fmt.Sprintf("%s  %s  %s %s", o.ID, o.Time.Local().Format("2006-01-02 15:04:05"), ui.Inline(what),
		strings.ReplaceAll(o.Status, "_", " "))
	counts := brief.Join(", ", some(o.ErrorCount, "error"), some(o.WarningCount, "warning"))
	if t := o.Tests; t != nil {
		ran := fmt.Sprintf("tests: %d passed", t.Passed)
		if t.NotRun > 0 {
			ran = fmt.Sprintf("tests: %d not run", t.NotRun)
		}
		counts = brief.Join(", ", counts, ran, fmt.Sprintf("%d failed", t.Failed))
	}
	if o.TookMS > 0 {
		counts = brief.Join(", ", counts, "took "+(time.Duration(o.TookMS)*time.Millisecond).Round(100*time.Millisecond).String())
	}
	return brief.Join(": ", text, counts)
}

func some(n int, one string) string {
	if n == 0 {
		return ""
	}
	return brief.Count(n, one)
}

// Text is the build, its errors and failed tests, and its log. Messages of compilers and tests are quoted: they are foreign text.
func (o KeptBuild) Text() string {
	w := brief.New(mostBuildText)
	w.Line(o.head())
	w.ListOf("errors and warnings", len(o.Diagnostics), max(len(o.Diagnostics), o.ErrorCount+o.WarningCount), func(i int) []string {
		d := o.Diagnostics[i]
		return []string{brief.Join(": ", oneline.Head(ui.Inline(d.Location)), d.Severity, ui.QuoteWhole(brief.Clip(d.Message, mostQuoted)))}
	})
	if o.Tests != nil {
		w.ListOf("failed tests", len(o.Tests.Cases), max(o.Tests.Failed, len(o.Tests.Cases)), func(i int) []string {
			t := o.Tests.Cases[i]
			lines := []string{"failed " + ui.Inline(brief.Join("/", t.Suite, t.Test))}
			for _, f := range t.Failures {
				lines = append(lines, "  "+ui.QuoteWhole(brief.Clip(f.Message, mostQuoted)))
			}
			return lines
		})
	}
	text := strings.TrimRight(w.String(), "\n")
	if o.Log != "" {
		text += "\nlog: " + o.Log
	}
	return text
}

// mostQuoted is the maximum number of bytes shown of one message of a compiler or a test.
const mostQuoted = 400

// mostBuildText is the maximum number of bytes of a build's text: about 800 tokens.
const mostBuildText = 3200

// BuildsOut is a list of builds.
type BuildsOut struct {
	Builds []KeptBuild `json:"builds"`
	Total  int         `json:"total"`
	Note   string      `json:"note,omitempty"`
}

// Text has a line for each build.
func (o BuildsOut) Text() string {
	lines := []string{fmt.Sprintf("%d of %s, the newest first", len(o.Builds), brief.Count(o.Total, "build"))}
	for _, b := range o.Builds {
		lines = append(lines, b.head())
	}
	if o.Note != "" {
		lines = append(lines, "note: "+o.Note)
	}
	return strings.Join(lines, "\n")
}

// mostBuilds is the maximum number of builds that a filter searches.
const mostBuilds = 1000

func (b *buildList) list(ctx context.Context, c *op.Call, in buildsIn) (BuildsOut, error) {
	out := BuildsOut{Builds: []KeptBuild{}}
	most := in.Limit
	if in.Scheme != "" || in.Failed {
		most = mostBuilds
	}
	all, total, err := builds.Last(ctx, b.store, most)
	if err != nil {
		return out, err
	}
	for _, r := range all {
		if in.Scheme != "" && r.Scheme != in.Scheme || in.Failed && r.Status() != builds.Failed {
			total--
		} else if len(out.Builds) < in.Limit {
			out.Builds = append(out.Builds, keptBuild(r))
		}
	}
	if out.Total = total; total == 0 {
		c.NothingNext = true
		out.Note = "no matching build yet: " + hint.Do("run") + " builds and launches, " + hint.Do("test") + " tests"
	}
	return out, nil
}

// buildIn names a build.
type buildIn struct {
	ID string `json:"id" doc:"the id of the build, or latest" cli:"arg" match:"^(latest|b[0-9a-f]{8})$"`
}

func (b *buildList) show(ctx context.Context, _ *op.Call, in buildIn) (KeptBuild, error) {
	var r builds.Result
	found := false
	if in.ID == "latest" {
		all, _, err := builds.Last(ctx, b.store, 1)
		if err != nil {
			return KeptBuild{}, err
		}
		if found = len(all) > 0; found {
			r = all[0]
		}
	} else {
		var err error
		if r, found, err = builds.Find(ctx, b.store, in.ID); err != nil {
			return KeptBuild{}, err
		}
	}
	if !found {
		return KeptBuild{}, fault.New(fault.BuildNotFound, "no stored build %q", in.ID).With("field", "id").
			WithHint("%s lists the stored builds", hint.Do("list_builds"))
	}
	out := keptBuild(r)
	out.Diagnostics = []Diagnostic{}
	for _, list := range [][]builds.Diagnostic{r.Errors, r.Warnings} {
		for _, d := range list {
			out.Diagnostics = append(out.Diagnostics, Diagnostic{
				Severity: d.Severity, Message: d.Message, Location: d.At(), File: d.File, Line: d.Line, Column: d.Column, Category: d.Category,
				Times: d.Times,
			})
		}
	}
	if r.Tests != nil {
		for _, f := range r.Tests.Failures {
			one := TestOut{ID: f.ID, Suite: f.Class, Test: f.Method, Status: "failed", DurationMS: int64(f.Seconds * 1000)}
			if f.Message != "" {
				one.Failures = []builder.Failure{{Message: f.Message, File: f.File, Line: f.Line}}
			}
			out.Tests.Cases = append(out.Tests.Cases, one)
		}
	}
	return out, nil
}

// keep stores the result of a build. A result that cannot be stored does not fail the answer: the store reports its own errors.
func (b *Builds) keep(ctx context.Context, c *op.Call, o *builder.Outcome, said Out) {
	if b.d.Store == nil || o.Request.Action == builder.Clean {
		return
	}
	r := builds.Of(o.Log)
	r.Decide(o.Succeeded)
	r.NotRun = o.NotRun
	asked, files := said.Request, said.Artifacts
	r.Action, r.Scheme, r.Session, r.TookMS = string(o.Request.Action), asked.Scheme, c.Session, said.Summary.DurationMS
	r.Project, r.Configuration, r.Destination = o.Request.Container(), asked.Configuration, asked.Destination
	r.Logs, r.Bundle, r.Device, r.Time = o.LogPaths, o.Bundle, cmp.Or(files.SimulatorID, files.DeviceID), b.d.Now()
	if t := o.Tests; t != nil {
		r.Tests = &builds.Tests{
			Passed: t.Counts.Passed, Failed: t.Counts.Failed, Skipped: t.Counts.Skipped, NotRun: t.Counts.NotRun, Total: t.Counts.Total,
			From: t.From, Failures: []builds.Failure{},
		}
		for _, one := range t.Cases {
			seconds := float64(one.DurationMS) / 1000
			if r.Tests.Seconds += seconds; one.Status != "failed" {
				continue
			}
			f := builds.Failure{ID: one.ID, Class: one.Suite, Method: one.Test, Seconds: seconds}
			if len(one.Failures) > 0 {
				f.Message, f.File, f.Line = one.Failures[0].Message, one.Failures[0].File, one.Failures[0].Line
			}
			r.Tests.Failures = append(r.Tests.Failures, f)
		}
	}
	_, _ = builds.Keep(context.WithoutCancel(ctx), b.d.Store, r)
}
