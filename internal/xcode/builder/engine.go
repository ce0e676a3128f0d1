package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/apple/toolerror"
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/apple/xcodeargs"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Options are the dependencies of an Engine.
type Options struct {
	Run   host.Runner
	Tools apple.Toolchain
	// Dir gets a folder for each project: derived data, logs, result bundles.
	Dir string
	// XcodeData is the root of Xcode's own derived data. A request with this root builds in Xcode's folder. See UserXcodeData.
	XcodeData string
	// TrustMacros allows macros of packages without the user's trust in Xcode. Macros run code of their authors at build time.
	TrustMacros bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Engine builds. It is safe for concurrent use; two builds in one folder of derived data wait for each other.
type Engine struct {
	o     Options
	queue queue
}

// New makes an Engine. It runs nothing.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Engine{o: o}
}

// UserXcodeData is the root of Xcode's derived data of this user; empty when the user has no home.
func UserXcodeData() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "Library/Developer/Xcode/DerivedData")
}

// Outcome is the result of a request that xcodebuild accepted.
type Outcome struct {
	Request     Request
	Succeeded   bool
	NotRun      bool          // neither succeeded nor failed: Virtual Xcode simulated the tests
	Phase       Action        // the last phase
	Exit        int           // exit code of the last phase; -1 after a signal
	Signal      string        //
	Took        time.Duration // all phases, without waiting
	Commands    [][]string    // argv of each phase
	LogPaths    []string      // the whole output of each phase
	DerivedData string        // "" if xcodebuild chose the folder
	Bundle      string        // path of the result bundle, or ""
	Log         *buildlog.Log // of all phases
	Tests       *Tests        // nil without tests
}

// Do builds, tests or cleans. Watch, which may be nil, gets the progress. A failed build is an outcome; a fault means that the build did
// not take place: unknown project, scheme or destination, missing Xcode, cancelled call.
func (e *Engine) Do(ctx context.Context, r Request, watch func(Progress)) (*Outcome, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	r.trustMacros = e.o.TrustMacros
	p, dd := e.placeOf(r), e.derivedData(r)
	run := &run{Engine: e, request: r, place: p, out: &Outcome{Request: r, DerivedData: dd}, reporter: reporter{watch: watch, now: e.o.Now}}
	run.reader.Watch = run.reporter.event
	leave, err := e.queue.enter(ctx, run.lineKey(dd), run.reporter.waiting)
	if err != nil {
		return nil, err
	}
	defer leave()
	defer prune(p.logs(), keepResults)
	defer prune(p.results(), keepResults)
	return run.do(ctx)
}

// run is one request under way.
type run struct {
	*Engine
	request  Request
	place    place
	reader   buildlog.Reader
	out      *Outcome
	stderr   []byte // of the last phase
	reporter reporter
}

// lineKey is the folder that only one build at a time may use. Xcode's own derived data has a folder for each project.
func (r *run) lineKey(derivedData string) string {
	if derivedData == "" {
		return r.place.dir
	}
	return derivedData
}

func (r *run) do(ctx context.Context) (*Outcome, error) {
	o, dd := r.out, r.out.DerivedData
	if o.Request.Action == Test || o.Request.Action == TestPrepared {
		if err := r.chooseBundle(); err != nil {
			return nil, err
		}
	}
	var err error
	switch o.Request.Action {
	case Test:
		if err = r.phase(ctx, BuildForTesting, o.Request.args(BuildForTesting, dd, "")); err == nil && o.Exit == 0 {
			err = r.phase(ctx, TestPrepared, o.Request.args(TestPrepared, dd, o.Bundle))
		}
	case TestPrepared:
		err = r.phase(ctx, TestPrepared, o.Request.preparedArgs(o.Bundle))
	default:
		err = r.phase(ctx, o.Request.Action, o.Request.args(o.Request.Action, dd, o.Bundle))
	}
	if err != nil {
		return nil, err
	}
	o.Log = r.reader.End()
	if o.Exit != 0 && r.refused() {
		return nil, r.refusal(ctx)
	}
	if o.Phase == TestPrepared {
		if o.Tests, err = r.readTests(ctx); err != nil {
			return nil, err
		}
		if r.o.Tools.Name == apple.Virtual {
			o.Tests.markSimulated(o.Notes())
		}
	}
	fine := o.Exit == 0 && (o.Tests == nil || o.Tests.Counts.Failed == 0)
	o.NotRun = fine && o.Tests != nil && o.Tests.simulated && len(o.Tests.ran) == 0
	o.Succeeded = fine && !o.NotRun
	if _, err := os.Stat(o.Bundle); err != nil {
		o.Bundle = ""
	}
	if o.Request.Action == Clean && o.Succeeded && o.Request.DerivedData == "" {
		// xcodebuild cleans one platform of one scheme. The folder belongs to this project alone, so all of it can go.
		if err := os.RemoveAll(filepath.Join(dd, "Build")); err != nil {
			return nil, fault.New(fault.PathError, "cannot clean %s: %w", dd, err)
		}
	}
	return o, nil
}

// chooseBundle chooses the path of the result bundle: the caller's, else one in the project's folder of the Engine.
func (r *run) chooseBundle() (err error) {
	for _, u := range xcodeargs.Split(r.request.ExtraArgs) {
		if u.Key == resultBundle {
			r.out.Bundle = u.Value()
		}
	}
	if r.out.Bundle == "" {
		r.out.Bundle, err = r.newBundle(r.place)
	} else if !filepath.IsAbs(r.out.Bundle) {
		r.out.Bundle = filepath.Join(r.request.folder(), r.out.Bundle)
	}
	if err != nil {
		return fault.New(fault.PathError, "cannot create a folder for the result bundle: %w", err)
	}
	return nil
}

// keptOutput is the number of bytes of each stream in memory; the log file has all output.
const keptOutput = 128 << 10

// phase runs xcodebuild once.
func (r *run) phase(ctx context.Context, a Action, args []string) error {
	o := r.out
	o.Phase = a
	o.Commands = append(o.Commands, append([]string{"xcodebuild"}, args...))
	r.reporter.phase(a)
	result, err := r.o.Run.Run(ctx, host.Cmd{
		Name: r.o.Tools.Tool("xcodebuild"), Args: args, Dir: r.request.folder(), Env: r.request.environment(),
		Timeout: -1, Grace: cancelGrace, MaxOutput: keptOutput, Spool: r.place.logs(),
		OnLine: func(stream host.Stream, line []byte) {
			if stream == host.Stdout {
				r.reader.Line(lines.Clean(line))
				r.reporter.progress(r.reader.Progress())
			}
		},
	})
	var exit *host.ExitError
	if err != nil && !errors.As(err, &exit) {
		return toolfault.Of(err)
	}
	// stderr comes last: the order of lines between stdout and stderr is random, and a line of stderr must not separate a diagnostic
	// from its source line.
	for _, line := range lines.All(result.Stderr) {
		r.reader.Line(line)
	}
	r.stderr = result.Stderr
	o.Exit, o.Signal, o.Took = result.ExitCode, result.Signal, o.Took+result.Took
	if result.Spool != "" {
		o.LogPaths = append(o.LogPaths, result.Spool)
	}
	return nil
}

// cancelGrace is the time limit of a cancelled xcodebuild to end its children and write its result bundle.
const cancelGrace = 5 * time.Second

// refused reports whether xcodebuild failed before the build began.
func (r *run) refused() bool {
	l := r.out.Log
	return l.Progress.Stage == buildlog.Starting && len(l.Outcomes) == 0 && l.Progress.Compiled == 0 && len(l.TestCases) == 0 &&
		r.out.Signal == ""
}

// refusal is the reason: in terms of the request if a query finds the cause, else xcodebuild's own text.
func (r *run) refusal(ctx context.Context) error {
	req := r.request
	report := toolerror.Of("xcodebuild", r.out.Exit, r.stderr)
	if err := r.schemeFault(ctx, req); err != nil {
		return err
	}
	if d := report.Destinations; len(d.Available)+len(d.Ineligible) > 0 {
		no := &DestinationError{Requested: req.Destination, Scheme: req.Scheme, Available: d.Available, Ineligible: d.Ineligible}
		return no.fault().With("log", last(r.out.LogPaths))
	}
	return fault.New(fault.ToolFailed, "xcodebuild: %s", cmp.Or(report.Text(refusalLimit), fmt.Sprintf("exit %d", r.out.Exit))).
		With("exit", r.out.Exit).With("command", last(r.out.Commands)).With("log", last(r.out.LogPaths))
}

// refusalLimit is the maximum size in bytes of xcodebuild's text in a fault.
const refusalLimit = 1200

func last[T any](all []T) (v T) {
	if len(all) > 0 {
		v = all[len(all)-1]
	}
	return v
}
