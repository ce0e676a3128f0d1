// Package simctl speaks to Apple's simulator tool, `xcrun simctl`: argv out, typed result in. It decides nothing by the
// wording of a message, and what it does not understand it keeps.
package simctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// How long each verb may take. They are limits for a machine under load, not expectations: a list takes half a second,
// a cold boot some twenty, but the first boot after an update migrates data for minutes.
const (
	ListTimeout       = 30 * time.Second
	BootTimeout       = 2 * time.Minute
	BootStatusTimeout = 5 * time.Minute
	ShutdownTimeout   = time.Minute
	InstallTimeout    = 5 * time.Minute
	LaunchTimeout     = time.Minute
	TerminateTimeout  = 30 * time.Second
	ScreenshotTimeout = 30 * time.Second
	SpawnTimeout      = time.Minute
)

// Tool is simctl. Its methods are safe for concurrent use if Run is.
//
// Errors: simctl's own answer is an *Error (and a *host.ExitError); the rest are those of host.Run. Each names the verb.
type Tool struct {
	Run   host.Runner
	Xcrun string   // path or name of xcrun; empty means "xcrun"
	Env   []string // merged over ours, for example DEVELOPER_DIR=…
}

// call is one use of simctl; the first argument is the verb.
type call struct {
	args      []string
	env       []string
	timeout   time.Duration
	maxOutput int
	outputs   []string // files it writes
	stdin     []byte
}

func (t Tool) do(ctx context.Context, c call) (host.Result, error) {
	cmd := host.Cmd{
		Name: t.Xcrun, Args: append([]string{"simctl"}, c.args...),
		Env:     append(append([]string(nil), t.Env...), c.env...),
		Timeout: c.timeout, MaxOutput: c.maxOutput, Outputs: c.outputs,
	}
	if cmd.Name == "" {
		cmd.Name = "xcrun"
	}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	r, err := t.Run.Run(ctx, cmd)
	var exit *host.ExitError
	if errors.As(err, &exit) {
		if reason := ParseError(r.Stderr); reason != nil {
			err = &answer{reason, err}
		}
	}
	if err != nil {
		return r, fmt.Errorf("simctl %s: %w", c.args[0], err)
	}
	return r, nil
}

// Refusal gives simctl's reason to the error of a run of it that was not a call of Tool's.
func Refusal(stderr []byte, err error) error {
	if reason := ParseError(stderr); err != nil && reason != nil {
		return &answer{reason, err}
	}
	return err
}

// on is a call that addresses a device. A word that simctl would take for an option is refused here.
func (t Tool) on(ctx context.Context, udid string, c call) (host.Result, error) {
	if udid == "" || strings.HasPrefix(udid, "-") {
		return host.Result{}, fmt.Errorf("simctl %s: %q is no device", c.args[0], udid)
	}
	return t.do(ctx, c)
}

// answer shows simctl's reason and keeps the exit.
type answer struct {
	reason *Error
	exit   error
}

func (a *answer) Error() string   { return a.reason.Error() }
func (a *answer) Unwrap() []error { return []error{a.reason, a.exit} }
