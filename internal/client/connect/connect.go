// Package connect lets a model or a program drive an app towards a goal. In each turn, a Run shows the screen to its Decider, reads the
// chosen action, checks it against the Policy and performs it through the catalogue. It ends when the goal is reached or given up, or at a
// limit. The package must not know drivers or devices.
package connect

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/mask"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

// Decider chooses the next action. Close releases its resources; it is called once.
type Decider interface {
	Decide(ctx context.Context, t Turn) (Decision, error)
	Close() error
}

// Run is one attempt to reach a goal.
type Run struct {
	Caller    op.Caller
	Catalogue *op.Catalogue
	Decider   Decider
	Goal      string
	App       string            // launched first; empty: the app in front
	Restart   bool              // App is ended first if it runs
	Picture   bool              // turns include a picture of the screen
	Target    map[string]string // the inputs that name the device; the decider cannot choose another one
	Policy    Policy
	Secrets   *mask.Set // hidden from the decider too, also where a screen shows one

	MaxSteps int           // 0 is DefaultSteps
	MaxTime  time.Duration // 0 is DefaultTime
	MaxIdle  int           // steps without a change; 0 is DefaultIdle

	Transcript *Transcript                                            // nil: no transcript
	Confirm    func(ctx context.Context, action string) (bool, error) // for a policy that requires confirmation
	Tell       func(line string)                                      // gets a line about every step; may be nil
}

// The default limits of a run.
const (
	DefaultSteps = 30
	DefaultTime  = 15 * time.Minute
	DefaultIdle  = 5
)

// mostMistakes is the maximum number of consecutive answers without a decision.
const mostMistakes = 3

// Result is the end of a run that reached its goal.
type Result struct {
	Status     string `json:"status"` // done
	Message    string `json:"message,omitempty"`
	Steps      int    `json:"steps"`
	TookMS     int64  `json:"took_ms"`
	Transcript string `json:"transcript,omitempty"`
}

// Do runs until the end. If the goal is given up, a limit is reached or the decider fails, the result is a fault.
func (r Run) Do(ctx context.Context) (Result, error) {
	began := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, cmp.Or(r.MaxTime, DefaultTime),
		fault.New(fault.LimitReached, "the goal is not reached after %s", cmp.Or(r.MaxTime, DefaultTime)).
			WithHint("raise %s", hint.Field("max_minutes")))
	defer cancel()
	actions := actionsOf(r.Catalogue, r.Policy)
	w := loop{Run: r, prompt: newPrompt(r.Goal, actions), voice: voiceOf(r.Catalogue, actions)}
	if err := w.note(record{Kind: "start", Goal: r.Goal, App: r.App, Restart: r.Restart, Actions: actions}); err != nil {
		return Result{}, err
	}
	message, err := w.run(op.WithParent(limited, "connect-"+rand.Text()))
	err = because(limited, err)
	end := record{Kind: "end", Status: "done", Message: message, Step: w.step}
	if err != nil {
		f := fault.From(err)
		end.Status, end.Code, end.Message = "failed", string(f.Code), f.Message
	}
	if noted := w.note(end); err == nil {
		err = noted
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Status: "done", Message: message, Steps: w.step, TookMS: time.Since(began).Milliseconds(),
		Transcript: r.Transcript.Path()}, nil
}

// because replaces an error caused by an ended context by the reason why the context ended.
func because(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	var f *fault.Fault
	if cause := context.Cause(ctx); errors.As(cause, &f) {
		return f
	}
	return fault.New(fault.Cancelled, "the run was ended before its goal was reached: %w", ctx.Err())
}

// loop is a run in progress.
type loop struct {
	Run
	prompt   prompt
	voice    wording.Voice // renders hints for the decider
	step     int
	idle     int // steps since the screen changed
	mistakes int // consecutive answers without a valid decision
	seen     string
}

func (w *loop) run(ctx context.Context) (message string, err error) {
	if err := w.launch(ctx); err != nil {
		return "", err
	}
	steps := cmp.Or(w.MaxSteps, DefaultSteps)
	if w.Policy.MaxSteps > 0 {
		steps = min(steps, w.Policy.MaxSteps)
	}
	for {
		look, err := w.look(ctx)
		if err != nil {
			return "", err
		}
		if w.step >= steps {
			return "", fault.New(fault.LimitReached, "the goal is not reached after %d steps", steps).
				WithHint("raise %s", hint.Field("max_steps"))
		}
		if w.idle >= cmp.Or(w.MaxIdle, DefaultIdle) {
			return "", fault.New(fault.LimitReached, "nothing on the screen changed in %d steps", w.idle).
				WithHint("the transcript lists the attempts")
		}
		w.step++
		message, over, err := w.take(ctx, look, steps)
		if over || err != nil {
			return message, err
		}
	}
}

// launch brings the app of the run to the front.
func (w *loop) launch(ctx context.Context) error {
	if w.App == "" {
		return nil
	}
	if err := w.Policy.app(w.App); err != nil {
		return err
	}
	input := map[string]any{"bundle_id": w.App}
	if w.Restart {
		input["restart"] = true
	}
	e := w.call(ctx, "launch_app", input)
	if e.Error != nil {
		return e.Error
	}
	return nil
}

// take is one step: it asks the decider, checks the policy and performs the action.
func (w *loop) take(ctx context.Context, look look, steps int) (message string, over bool, err error) {
	began := time.Now()
	d, err := w.Decider.Decide(ctx, w.prompt.turn(w.step, steps, look))
	rec := record{Kind: "step", Step: w.step, Screen: look.ID, App: look.App, Outline: look.outline, Snapshot: look.snapshot}
	if look.picture != "" {
		var kept error
		if rec.Picture, kept = w.Transcript.keep(w.step, look.picture); kept != nil {
			return "", true, kept
		}
	}
	if malformed := (*Malformed)(nil); errors.As(err, &malformed) {
		if w.mistakes++; w.mistakes >= mostMistakes {
			return "", true, fault.New(fault.DeciderFailed, "%d consecutive answers were invalid; the last: %s", w.mistakes,
				malformed.Error())
		}
		return "", false, w.finish(rec, began, "not understood", malformed.Error())
	}
	if err != nil {
		return "", true, err
	}
	w.mistakes = 0
	rec.Decision = d.recorded(look)
	if name := d.key("keys"); name != "" && string(rec.Decision.Input[name]) != string(d.Input[name]) {
		w.Secrets.Add(characters(d.Input[name]), Redacted) // the answer repeats them
	}
	switch d.Action {
	case Done, Fail:
		rec.Verdict = d.Action
		rec.TookMS = time.Since(began).Milliseconds()
		if err := w.note(rec); err != nil {
			return "", true, err
		}
		w.tell("%s: %s", d.Action, d.Message)
		if d.Action == Fail {
			return "", true, fault.New(fault.GoalFailed, "the goal was given up: %s", d.Message)
		}
		return d.Message, true, nil
	}
	input, err := w.permit(ctx, d, look)
	if err != nil {
		if ctx.Err() != nil {
			return "", true, err
		}
		f := w.voice.Envelope(op.Failed(err, op.Meta{}), nil).Error
		rec.Code = string(f.Code)
		return "", false, w.finish(rec, began, "refused", f.Message+orHint(f))
	}
	e := w.voice.Envelope(w.call(ctx, d.Action, input), nil)
	if ctx.Err() != nil {
		return "", true, ctx.Err()
	}
	if e.Error != nil {
		rec.Code = string(e.Error.Code)
	}
	return "", false, w.finish(rec, began, e.Status, e.Text())
}

// permit checks the policy and, if the policy requires it, asks a person. It returns the checked input.
func (w *loop) permit(ctx context.Context, d Decision, look look) (map[string]any, error) {
	o, err := w.prompt.known(d.Action)
	if err != nil {
		return nil, err
	}
	input, err := d.read(o)
	if err != nil {
		return nil, err
	}
	if err := w.Policy.check(o, input, look); err != nil {
		return nil, err
	}
	if !w.Policy.asks() {
		return input, nil
	}
	if w.Confirm == nil {
		return nil, fault.New(fault.Forbidden, "the policy requires a person to confirm every action").
			WithHint("run the command in a terminal")
	}
	ok, err := w.Confirm(ctx, d.line())
	if err == nil && !ok {
		err = fault.New(fault.Forbidden, "the person at the terminal refused the action")
	}
	return input, err
}

// finish records a step and adds it to the next turn.
func (w *loop) finish(rec record, began time.Time, verdict, text string) error {
	text = w.Secrets.Text(text)
	rec.Verdict, rec.Result, rec.TookMS = verdict, text, time.Since(began).Milliseconds()
	what := "(no action)"
	if rec.Decision != nil {
		what = rec.Decision.line()
	}
	w.prompt.did(w.step, what, verdict, text)
	w.tell("%d. %s → %s: %s", w.step, what, verdict, firstLine(text))
	return w.note(rec)
}

func (w *loop) tell(format string, args ...any) {
	if w.Tell != nil {
		w.Tell(w.Secrets.Text(fmt.Sprintf(format, args...)))
	}
}

func (w *loop) note(r record) error { return w.Transcript.write(r) }

// call performs an operation on the device of this run, whatever device the input names.
func (w *loop) call(ctx context.Context, name string, input map[string]any) op.Envelope {
	o, err := w.Catalogue.Lookup(name)
	if err != nil {
		return op.Failed(err, op.Meta{})
	}
	given := maps.Clone(input)
	for _, f := range o.Fields() {
		if value := w.Target[f.Name]; value != "" {
			given[f.Name] = value
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return op.Failed(fault.New(fault.InvalidInput, "%s: %w", name, err), op.Meta{})
	}
	return w.Caller.Call(ctx, w.Catalogue.ID(o), raw, nil)
}

// voiceOf is the wording for deciders, who choose actions.
func voiceOf(c *op.Catalogue, actions []Action) wording.Voice {
	names := map[string]string{}
	for _, a := range actions {
		names[c.ID(a.op)] = a.Name
	}
	return wording.Actions(c, names)
}

func orHint(f *fault.Fault) string {
	if f.Hint == "" {
		return ""
	}
	return " (" + f.Hint + ")"
}
