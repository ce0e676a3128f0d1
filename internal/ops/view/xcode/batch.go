package xcode

import (
	"context"
	"encoding/json"
	"fmt"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ops/touch"
)

// batches is the tool that taps several times.
func (v views) batches() []op.Op {
	return []op.Op{
		sim(v, uiTool(batchTool, "Tap several elements in one call", 0), v.batch),
	}
}

// batchUIIn is a list of taps.
type batchUIIn struct {
	simIn
	Steps []string `json:"steps" doc:"1 to 100 of {\"action\":\"tap\",\"elementRef\":\"e12\",\"preDelay\":0,\"postDelay\":0}" items:"object"`
	Cache string   `json:"axCache,omitempty" doc:"ignored: every step looks again" enum:"perBatch,perStep,none" default:"perStep"`
	Wait  float64  `json:"waitTimeout,omitempty" doc:"seconds to wait for an element" min:"0" max:"60" default:"5" unit:"s"`
	Poll  float64  `json:"pollInterval,omitempty" doc:"ignored: the wait ends as soon as the element appears" min:"0" max:"10"`
}

// batchStep is one tap.
type batchStep struct {
	Action string  `json:"action"`
	Ref    string  `json:"elementRef"`
	Before float64 `json:"preDelay"`
	After  float64 `json:"postDelay"`
}

// batchUIOut has the result of each tap.
type batchUIOut struct {
	Done  int               `json:"done"`
	Steps []touch.ActionOut `json:"steps"`

	total int
	fault *fault.Fault
}

// Text is one paragraph per step.
func (o batchUIOut) Text() string {
	text := fmt.Sprintf("%d of %d steps done", o.Done, o.total)
	for i, s := range o.Steps {
		text += fmt.Sprintf("\n%d. %s", i+1, s.Text())
	}
	return text
}

// Fault is the fault of the step that stopped the batch.
func (o batchUIOut) Fault() *fault.Fault { return o.fault }

// mostSteps is the maximum number of taps of one call.
const mostSteps = 100

func (in batchUIIn) steps() ([]batchStep, error) {
	if len(in.Steps) == 0 || len(in.Steps) > mostSteps {
		return nil, fault.New(fault.InvalidInput, "batch: steps must have 1 to %d entries, not %d", mostSteps, len(in.Steps)).
			With("field", "steps")
	}
	all := make([]batchStep, len(in.Steps))
	for i, text := range in.Steps {
		s := &all[i]
		if err := json.Unmarshal([]byte(text), s); err != nil {
			return nil, fault.New(fault.InvalidInput, "batch: step %d: %w", i+1, fault.OfJSON(err)).With("field", "steps")
		}
		if s.Action != "tap" || s.Ref == "" || s.Before < 0 || s.Before > 10 || s.After < 0 || s.After > 10 {
			return nil, fault.New(fault.InvalidInput, "batch: step %d must be {action: tap, elementRef} with delays of up to 10 seconds", i+1).
				With("field", "steps").WithHint("use action tap and a ref of %s", nextCall(snapshotUI))
		}
	}
	return all, nil
}

// batch stops at the first step that fails, because the later steps expect the screen that this step leads to. Each ref is looked
// up when its step runs: a ref whose element is gone by then is refused.
func (v views) batch(ctx context.Context, c *op.Call, in batchUIIn, on target.Target) (batchUIOut, error) {
	steps, err := in.steps()
	if err != nil {
		return batchUIOut{}, err
	}
	out := batchUIOut{Steps: []touch.ActionOut{}, total: len(steps)}
	for i, s := range steps {
		tap := touch.TapIn{Target: on, ElementIn: target.ElementIn{Ref: s.Ref}, ActIn: target.ActIn{Timeout: int(in.Wait * 1000)}}
		done, err := delayIn{s.Before, s.After}.around(ctx, func() (touch.ActionOut, error) { return v.core.Touch.Tap(ctx, c, tap) })
		if err != nil {
			out.fault = fault.From(err).With("step", i+1)
			return out, nil
		}
		out.Steps = append(out.Steps, done)
		if f := done.Fault(); f != nil {
			out.fault = f.With("step", i+1)
			return out, nil
		}
		out.Done++
	}
	return out, nil
}
