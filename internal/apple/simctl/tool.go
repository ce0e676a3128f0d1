// Package simctl runs Apple's simulator tool, `xcrun simctl`: argv out, typed result in. Tool has a method for each verb, and List is the
// answer of the most important one. It keeps unknown data, and must not decide anything by the wording of a message.
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

// The maximum time of each verb, on a machine under load: a list usually takes half a second, a cold boot some twenty, but the first boot
// after an update migrates data for minutes.
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

// Tool runs simctl. Its methods are safe for concurrent use if Run is.
//
// Errors: simctl's own refusal is an *Error (and a *host.ExitError); other errors come from host.Run. Each names the verb.
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

// Refusal adds simctl's reason to the error of a run of it outside of Tool.
func Refusal(stderr []byte, err error) error {
	if reason := ParseError(stderr); err != nil && reason != nil {
		return &answer{reason, err}
	}
	return err
}

// on is a call that addresses a device. It refuses a name that simctl would read as an option.
func (t Tool) on(ctx context.Context, udid string, c call) (host.Result, error) {
	if udid == "" || strings.HasPrefix(udid, "-") {
		return host.Result{}, fmt.Errorf("simctl %s: %q is not a device", c.args[0], udid)
	}
	return t.do(ctx, c)
}

// answer adds simctl's reason and keeps the exit status.
type answer struct {
	reason *Error
	exit   error
}

func (a *answer) Error() string   { return a.reason.Error() }
func (a *answer) Unwrap() []error { return []error{a.reason, a.exit} }
