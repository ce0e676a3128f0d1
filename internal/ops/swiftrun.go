package ops

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple/swiftpm"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// background holds the programs that were started in the background. They end with the daemon.
type background struct {
	mu   sync.Mutex
	live map[int]*backgroundRun
}

type backgroundRun struct {
	process    *host.Process
	executable string
	path       string
	began      time.Time
}

// mostBackground is how many programs may run at once.
const mostBackground = 32

// SwiftRunIn says what to run and how.
type SwiftRunIn struct {
	PackageBuildIn
	Executable string   `json:"executableName,omitempty" doc:"the program; without one the package's only one"`
	Args       []string `json:"arguments,omitempty" doc:"arguments for the program"`
	Timeout    int      `json:"timeout,omitempty" doc:"seconds until it is ended, building included; not in the background" default:"30" min:"1" max:"300"`
	Background bool     `json:"background,omitempty" doc:"start it and answer at once; swift_package_stop ends it, and so does the daemon when it leaves"`
}

func (s *swiftPackages) run(ctx context.Context, c *op.Call, in SwiftRunIn) (SwiftOut, error) {
	if err := mustBePackage(string(in.Path)); err != nil {
		return SwiftOut{Package: string(in.Path)}, err
	}
	if err := s.named(ctx, &in); err != nil {
		return SwiftOut{Package: string(in.Path)}, err
	}
	cmd, err := swiftpm.Tool{}.Run(in.pkg(), swiftpm.Run{Executable: in.Executable, Args: in.Args})
	if err != nil {
		return SwiftOut{}, wrongWord(err)
	}
	if in.Background {
		return s.begin(ctx, cmd, in)
	}
	out, log, err := s.do(ctx, c, in.PackageIn, cmd, time.Duration(in.Timeout)*time.Second)
	if err != nil {
		return out, err
	}
	if out.Status == timedOut {
		out.Message = fmt.Sprintf("ended after %d seconds; this is what it had printed", in.Timeout)
		out.NextSteps = []string{nextCall("swift_package_run", "packagePath", out.Package, "background", true)}
		out.fault = fault.New(fault.Timeout, "the program did not end within %d seconds and was ended", in.Timeout).
			WithHint("give it more time (timeout, 300 at most), or run it with background: true")
		return out, nil
	}
	out.judge(log, "run", fault.ToolFailed)
	if out.Status == failed && log.Errors > 0 {
		out.fault = fault.New(fault.BuildFailed, "the package does not compile: swift run of %s failed", out.Package)
	}
	return out, nil
}

// named asks for the name of the package's only program when there are arguments: without it `swift run` would take the
// first of them for the name, in spite of the dashes before it.
func (s *swiftPackages) named(ctx context.Context, in *SwiftRunIn) error {
	if in.Executable != "" || len(in.Args) == 0 {
		return nil
	}
	cmd := swiftpm.Tool{}.Describe(in.pkg())
	cmd.Dir, cmd.Timeout = string(in.Path), 2*time.Minute
	res, err := s.parts.Run.Run(ctx, cmd)
	if err != nil {
		return swiftFault(err)
	}
	names, err := swiftpm.Executables(res.Stdout)
	switch {
	case err != nil:
		return fault.New(fault.ToolFailed, "%w", err)
	case len(names) == 0:
		return fault.New(fault.BuildFailed, "the package %s has no program to run", in.Path)
	case len(names) > 1:
		return fault.New(fault.InvalidInput, "the package has several programs: %s", strings.Join(names, ", ")).With("field", "executableName").
			WithHint("name one as executableName")
	}
	in.Executable = names[0]
	return nil
}

func (s *swiftPackages) begin(ctx context.Context, cmd host.Cmd, in SwiftRunIn) (SwiftOut, error) {
	out := SwiftOut{Package: string(in.Path), Status: started}
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	if len(s.running.live) >= mostBackground {
		return out, fault.New(fault.InvalidInput, "%d programs run in the background already", mostBackground).WithHint("stop some with swift_package_stop")
	}
	cmd.Dir, cmd.Grace, cmd.Spool = out.Package, 5*time.Second, filepath.Join(s.parts.Home, "logs")
	p, err := s.parts.Start.Start(ctx, cmd)
	if err != nil {
		return out, swiftFault(err)
	}
	s.running.live[p.PID] = &backgroundRun{p, cmp.Or(in.Executable, "default"), out.Package, s.parts.Now()}
	out.Process, out.LogFile = p.PID, p.Spool
	out.Message = fmt.Sprintf("started in the background (PID: %d)", p.PID)
	out.NextSteps = []string{nextCall("swift_package_stop", "pid", p.PID), nextCall("swift_package_list")}
	return out, nil
}

// SwiftProcess is a program in the background.
type SwiftProcess struct {
	PID        int    `json:"processId"`
	Executable string `json:"executable"`
	Package    string `json:"packagePath"`
	Seconds    int    `json:"uptimeSeconds"`
	State      string `json:"state"` // running, or how it ended
}

// SwiftListOut is all of them.
type SwiftListOut struct {
	Processes []SwiftProcess `json:"processes"`
}

// Text is one line a program.
func (o SwiftListOut) Text() string {
	if len(o.Processes) == 0 {
		return "no program of a package runs in the background"
	}
	lines := []string{fmt.Sprintf("%d programs", len(o.Processes))}
	for _, p := range o.Processes {
		lines = append(lines, fmt.Sprintf("PID %d  %s  %s  %d s  %s", p.PID, p.Executable, p.Package, p.Seconds, p.State))
	}
	return strings.Join(lines, "\n")
}

func (s *swiftPackages) list(context.Context, *op.Call, struct{}) (SwiftListOut, error) {
	s.running.mu.Lock()
	defer s.running.mu.Unlock()
	out := SwiftListOut{Processes: []SwiftProcess{}}
	for pid, r := range s.running.live {
		out.Processes = append(out.Processes, SwiftProcess{pid, r.executable, r.path, max(1, int(s.parts.Now().Sub(r.began).Seconds())), r.state()})
	}
	slices.SortFunc(out.Processes, func(a, b SwiftProcess) int { return cmp.Compare(a.PID, b.PID) })
	return out, nil
}

// state is running, or how it ended: a program that ended by itself stays in the list until its output was taken.
func (r *backgroundRun) state() string {
	select {
	case <-r.process.Done():
	default:
		return "running"
	}
	res, _ := r.process.Result()
	if res.Signal != "" {
		return "ended by " + res.Signal
	}
	return fmt.Sprintf("ended with exit code %d", res.ExitCode)
}

// SwiftStopIn names a program in the background.
type SwiftStopIn struct {
	PID int `json:"pid" doc:"the process, from swift_package_run or swift_package_list" min:"1" cli:"arg"`
}

func (s *swiftPackages) stop(ctx context.Context, _ *op.Call, in SwiftStopIn) (SwiftOut, error) {
	s.running.mu.Lock()
	r := s.running.live[in.PID]
	delete(s.running.live, in.PID)
	s.running.mu.Unlock()
	if r == nil {
		return SwiftOut{}, fault.New(fault.AppNotRunning, "no program in the background has the PID %d", in.PID).With("field", "pid").
			WithHint("swift_package_list shows those there are; only those that swift_package_run started can be ended")
	}
	before := r.state()
	if err := r.process.Stop(ctx); err != nil {
		return SwiftOut{}, fault.New(fault.AppTerminate, "%w", err)
	}
	out := SwiftOut{Package: r.path, Status: succeeded, Process: in.PID, LogFile: r.process.Spool, Seconds: s.parts.Now().Sub(r.began).Seconds()}
	out.Message = fmt.Sprintf("ended process %d after %.1f s", in.PID, out.Seconds)
	if before != "running" {
		out.Message = fmt.Sprintf("process %d had %s", in.PID, before)
	}
	out.Output = printed(r.process.Tail(host.Stdout), r.process.Tail(host.Stderr))
	return out, nil
}
