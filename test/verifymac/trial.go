package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/machine/host"
)

// trial is one run on one simulator. One folder has its results:
//
//	page.txt        the page
//	about.txt       the Mac, its Xcode, and this program
//	steps/          one file a step: the command line, the answer, how long it took
//	pictures/       pictures of the screen, one for each failed step
//	crashes/        crash reports from the time of the run
//	logs/           the logs of the daemon and of the runs of the agent
//	talk.txt        the talk with the agent, in words
//	transcripts/    one file for each tool that was run (docs of package host), and agent-talk.ndjson
//	checks/         a transcript of each tool that was run before and after the steps
//	results/        result bundles of agents that did not start
//	contents.txt    the names and sizes of all files, and what was left out
type trial struct {
	options
	out   io.Writer
	host  *host.Host // runs ios-agent
	aside *host.Host // runs Apple's tools, and stores their transcripts apart from the steps'
	tools apple.Toolchain
	env   []string // of ios-agent
	kept  string   // the folder
	home  string   // of the daemon
	began time.Time

	about   string // one line
	advice  string // what a person should do first, as lines
	lacks   map[string]lack
	results []result
	known   map[string]string // what answers told and later steps name, such as simulator
}

func newTrial(ctx context.Context, o options, out io.Writer) (*trial, error) {
	home := cmp.Or(o.home, filepath.Join(o.work, "home"))
	t := &trial{options: o, out: out, kept: filepath.Join(o.work, "verify-mac"), began: time.Now(), home: home,
		lacks: map[string]lack{}, known: map[string]string{}}
	t.env = []string{
		"IOS_AGENT_HOME=" + home, "IOS_AGENT_SESSION=verify", "IOS_AGENT_PREWARM=off", "IOS_AGENT_JOB_AFTER=20m", "IOS_AGENT_REPLAY=",
		"IOS_AGENT_RECORD=" + filepath.Join(t.kept, transcripts),
	}
	if onVirtual() {
		t.env = append(t.env, "IOS_AGENT_TOOLCHAIN="+apple.Virtual)
		// The hardships of its devices take minutes of their time. The first tool that runs starts the devices, with this variable.
		if os.Getenv(clockVariable) == "" {
			if err := os.Setenv(clockVariable, "request"); err != nil {
				return nil, err
			}
		}
	}
	var err error
	for _, folder := range []string{t.path(stepFolder), t.path(pictures), o.out} {
		err = errors.Join(err, os.MkdirAll(folder, 0o700))
	}
	if err != nil {
		return nil, err
	}
	if t.host, err = host.New(host.Options{}); err != nil {
		return nil, err
	}
	if t.aside, err = host.New(host.Options{Record: filepath.Join(t.kept, "checks")}); err == nil {
		t.tools, err = toolchain(ctx, t.host, o, t.env)
	}
	if err != nil {
		return nil, errors.Join(err, t.host.Close())
	}
	return t, nil
}

const clockVariable = "IOS_AGENT_VIRTUAL_TIME"

const (
	transcripts = "transcripts"
	stepFolder  = "steps"
	pictures    = "pictures"
	// simulatorName is how its own simulators are called: a person who finds one knows whose it is.
	simulatorName = "ios-agent verify"
	clearTime     = 3 * time.Minute
)

func (t *trial) simctl() simctl.Tool { return simctl.Tool{Run: t.aside, Xcrun: t.tools.Tool("xcrun")} }

// tool runs one of Apple's tools for its output.
func (t *trial) tool(ctx context.Context, name string, args ...string) (string, error) {
	r, err := t.aside.Run(ctx, host.Cmd{Name: t.tools.Tool(name), Args: args, Env: t.env, Timeout: time.Minute})
	return string(r.Stdout), err
}

// clear ends everything that was started and deletes the simulator, also when the run was interrupted.
func (t *trial) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), clearTime)
	defer cancel()
	t.stop(ctx, "daemon", "stop")
	simulator := t.known[simulatorKey]
	if simulator == "" {
		return
	}
	_ = t.simctl().Shutdown(ctx, simulator) // it may be shut down already, and delete tells what is wrong
	if _, err := t.tool(ctx, "xcrun", "simctl", "delete", simulator); err != nil {
		line := fmt.Sprintf("The simulator could not be deleted (%v). Do it with: xcrun simctl delete %s\n", err, simulator)
		fmt.Fprint(t.out, "\n", line)
		t.advice += "  " + line
		return
	}
	delete(t.known, simulatorKey)
}

// stop runs a command that ends one of our processes, if it runs.
func (t *trial) stop(ctx context.Context, args ...string) {
	_, _ = t.host.Run(ctx, host.Cmd{Name: t.agent, Args: args, Env: t.env, Timeout: time.Minute})
}

// close is for whatever way the run ended.
func (t *trial) close() error {
	t.clear()
	if t.tools.Name == apple.Virtual {
		t.stop(context.Background(), "virtual", "stop")
	}
	return errors.Join(t.aside.Close(), t.host.Close())
}

// resultOf reads the result of an envelope.
func resultOf(answer []byte, to any) error {
	var e struct{ Result json.RawMessage }
	if err := json.Unmarshal(answer, &e); err != nil {
		return fmt.Errorf("an answer that cannot be read: %w", err)
	}
	return json.Unmarshal(e.Result, to)
}
