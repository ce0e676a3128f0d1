package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/internal/machine/host"
)

// replay takes the steps again that only run tools, with the tools' transcripts in the place of the tools, and reads the talk with the
// agent again. It compares both with what the file has.
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
	t.env = []string{
		"IOS_AGENT_HOME=" + filepath.Join(o.work, "home"), "IOS_AGENT_SESSION=verify", "IOS_AGENT_PREWARM=off", "IOS_AGENT_RECORD=",
		"IOS_AGENT_REPLAY=" + t.path(transcripts), "IOS_AGENT_TOOLCHAIN=" + toolchainOf(kept),
	}
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
	for _, r := range kept {
		if r.Fixed && r.Outcome != notTried {
			report(r.Name, t.again(ctx, r))
		}
	}
	if all == 0 {
		return exitRefused, errors.New("the file has no step that can be replayed")
	}
	report("talk", t.talkAgain())
	fmt.Fprintf(out, "verify-mac: %d of %d replay alike\n", alike, all)
	if alike < all {
		return exitFails, nil
	}
	return exitHolds, nil
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

// toolchainOf is which tools the answers came from.
func toolchainOf(all []result) string {
	for _, r := range all {
		var e struct{ Meta struct{ Toolchain string } }
		if json.Unmarshal(r.Answer, &e) == nil && e.Meta.Toolchain != "" {
			return e.Meta.Toolchain
		}
	}
	return ""
}

// again takes a step, and compares its exit code, what it found, and the picture it wrote.
func (t *trial) again(ctx context.Context, r result) error {
	args := slices.Clone(r.Args)
	var picture string
	if i := slices.Index(args, "--out"); i >= 0 && i+1 < len(args) {
		picture = filepath.Base(args[i+1])
		args[i+1] = filepath.Join(t.work, picture)
	}
	run, err := t.host.Run(ctx, host.Cmd{Name: t.agent, Args: append(args, "--json"), Env: t.env, MaxOutput: 16 << 20})
	var exit *host.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return err
	case run.ExitCode != r.Code:
		return fmt.Errorf("exit %d instead of %d: %s", run.ExitCode, r.Code, result{Answer: run.Stdout, Stderr: string(run.Stderr)}.fault())
	case picture != "" && r.Code == 0:
		return samePicture(t.path(picture), filepath.Join(t.work, picture))
	case strings.HasPrefix(r.Args[0], "list-"):
		return sameResult(r.Answer, run.Stdout)
	}
	return nil
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

// sameResult compares what two answers found, without how long it took.
func sameResult(one, other []byte) error {
	var a, b any
	if err := errors.Join(resultOf(one, &a), resultOf(other, &b)); err != nil {
		return err
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("it finds %.400v, and found %.400v", b, a)
	}
	return nil
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
