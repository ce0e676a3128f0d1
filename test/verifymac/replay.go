package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/apple"
	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/machine/host"
)

// replay takes the steps of a file again, in their order, with the recorded tools and the recorded agent in the place of Apple's. It
// compares how each step ends. A fault of the Mac appears here too, and what the file does not hold is said.
func replay(ctx context.Context, o options, out io.Writer) (code int, err error) {
	if err := unpack(o.replay, o.work); err != nil {
		return exitRefused, err
	}
	runner, err := host.New(host.Options{})
	if err != nil {
		return exitRefused, err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	t := &trial{options: o, out: out, host: runner, kept: filepath.Join(o.work, "verify-mac")}
	kept, err := t.keptResults()
	if err != nil {
		return exitRefused, err
	}
	p, err := t.newPlayer(ctx, kept)
	if err != nil {
		return exitRefused, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	t.env = append(p.env(), "IOS_AGENT_HOME="+filepath.Join(o.work, "home"), "IOS_AGENT_SESSION=verify", "IOS_AGENT_PREWARM=off",
		"IOS_AGENT_JOB_AFTER=20m", "IOS_AGENT_RECORD=", "IOS_AGENT_REPLAY=", "IOS_AGENT_TOOLCHAIN="+apple.Xcode)
	alike, all := 0, 0
	defer t.stop(context.WithoutCancel(ctx), "daemon", "stop")
	report := func(name string, err error) {
		all++
		if err != nil {
			fmt.Fprintf(out, "DIFFERS   %s: %v\n", name, err)
			return
		}
		alike++
		fmt.Fprintf(out, "alike     %s\n", name)
	}
	for i, r := range kept {
		if ctx.Err() != nil {
			return exitInterrupted, nil
		}
		switch why := notInFile(r); {
		case r.Outcome == notTried || r.Tool != "":
		case why != "":
			fmt.Fprintf(out, "not here  %s: %s\n", r.Name, why)
		default:
			if err := p.turn(t, i, r); err != nil {
				return exitRefused, err
			}
			name := r.Name
			if r.Outcome == fails {
				name += ", which fails: " + r.Why
			}
			report(name, t.again(ctx, r))
		}
	}
	if all == 0 {
		return exitRefused, errors.New("the file has no step that can be replayed")
	}
	report("talk", t.talkAgain())
	for _, name := range p.unheld() {
		fmt.Fprintf(out, "not here  %s\n", name)
	}
	fmt.Fprintf(out, "verify-mac: %d of %d replay alike\n", alike, all)
	if alike < all {
		return exitFails, nil
	}
	return exitHolds, nil
}

// notInFile says why a step cannot be replayed: it needs more than tools and the agent said.
func notInFile(r result) string {
	switch {
	case len(r.Args) == 0:
		return ""
	case r.Args[0] == "app":
		return "the windows of desktop apps are not in the file"
	case slices.Contains(r.Args, "idb"):
		return "the talk with idb_companion is not in the file"
	case strings.HasPrefix(r.Name, "cable-"):
		return "the physical device is not in the file"
	case r.Args[0] == "run" && r.Code == 0:
		return "the app that it built is not in the file"
	}
	return ""
}

func (t *trial) keptResults() (all []result, err error) {
	files, err := filepath.Glob(t.path(stepFolder + "/*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r result
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		all = append(all, r)
	}
	return all, nil
}

// again takes a step, and compares its exit code, its fault, the outcome that it tells, and the picture it wrote.
func (t *trial) again(ctx context.Context, r result) error {
	args := slices.Clone(r.Args)
	var picture string
	if i := slices.Index(args, "--out"); i >= 0 && i+1 < len(args) {
		picture = filepath.Base(args[i+1])
		args[i+1] = filepath.Join(t.work, picture)
	}
	run, err := t.host.Run(ctx, host.Cmd{Name: t.agent, Args: withJSON(args), Env: t.env, Timeout: buildTime, MaxOutput: 16 << 20})
	var exit *host.ExitError
	now := result{Answer: run.Stdout, Stderr: string(run.Stderr)}
	switch {
	case err != nil && !errors.As(err, &exit):
		return err
	case run.ExitCode != r.Code:
		return fmt.Errorf("exit %d instead of %d: %s", run.ExitCode, r.Code, now.fault())
	case now.ending() != r.ending():
		return fmt.Errorf("it ends with %s instead of %s", now.ending(), r.ending())
	case picture != "" && r.Code == 0:
		return samePicture(t.picture(picture), filepath.Join(t.work, picture))
	}
	return nil
}

// ending is the code of the fault in an answer, or the outcome that it tells.
func (r result) ending() string {
	var e struct {
		Error  struct{ Code string }
		Result struct{ Outcome string }
	}
	_ = json.Unmarshal(r.Answer, &e) // another text has no ending
	return cmp.Or(e.Error.Code, e.Result.Outcome)
}

func samePicture(one, other string) error {
	a, err := os.ReadFile(one)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(other)
	if err == nil && !bytes.Equal(a, b) {
		err = errors.New("it is another picture")
	}
	return err
}

// talkAgain reads the frames again. It reports frames that this program reads differently from the program that recorded them.
func (t *trial) talkAgain() error {
	text, err := talkOf(t.path(transcripts + "/" + agentwire.TalkFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the agent did not start
	}
	if err != nil {
		return err
	}
	told, err := os.ReadFile(t.path(talkText))
	if err == nil && string(told) != text {
		err = errors.New("the frames have another text")
	}
	return err
}
