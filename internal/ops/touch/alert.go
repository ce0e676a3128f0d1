package touch

import (
	"context"
	"fmt"

	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
	"ios-agent/internal/ui"
)

func (t *Touch) alertOps() []op.Op {
	return []op.Op{op.New(action("alert", "alert", "Read the alert in front, of the system or the app, and answer it",
		ofPhones("alert", "alert accept", `alert "Allow Once"`)), t.alert)}
}

// alertIn says how to answer.
type alertIn struct {
	target.Target
	Answer  string `json:"answer,omitempty" doc:"accept, dismiss or the label of a button; without one it is only read" cli:"arg"`
	Accept  bool   `json:"accept,omitempty" doc:"press the button that says yes"`
	Dismiss bool   `json:"dismiss,omitempty" doc:"press the button that says no or cancels"`
	Button  string `json:"button,omitempty" doc:"press the button of this label"`
}

// alertOut is the alert, and what came of answering it.
type alertOut struct {
	Alert *device.Alert `json:"alert"`
	ActionOut
}

// Text shows the alert and what came of it.
func (o alertOut) Text() string {
	if o.Alert == nil {
		return "no alert"
	}
	text := fmt.Sprintf("alert %s %s, buttons %s", ui.Quote(o.Alert.Title), ui.Quote(o.Alert.Text), quoted(o.Alert.Buttons))
	if o.Action == "alert" {
		return text
	}
	return o.ActionOut.Text() + "\nanswered: " + text
}

func quoted(words []string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += ui.Quote(w)
	}
	return text
}

// Check is for batches, which read all their steps before the first.
func (in alertIn) Check() error {
	_, err := in.answer()
	return err
}

// answer is the button that is meant; empty when none is.
func (in alertIn) answer() (answer string, err error) {
	for _, a := range []struct {
		asked  bool
		answer string
	}{{in.Answer != "", in.Answer}, {in.Accept, "accept"}, {in.Dismiss, "dismiss"}, {in.Button != "", in.Button}} {
		if !a.asked {
			continue
		}
		if answer != "" {
			return "", fault.New(fault.InvalidInput, "alert: answer, accept, dismiss and button exclude each other").With("field", "button")
		}
		answer = a.answer
	}
	return answer, nil
}

func (t *Touch) alert(ctx context.Context, c *op.Call, in alertIn) (alertOut, error) {
	answer, err := in.answer()
	if err != nil {
		return alertOut{}, err
	}
	name := "alert"
	if answer != "" {
		name = "answer " + ui.Quote(answer)
	}
	var found *device.Alert
	out, err := t.act(ctx, c, doing{in.Target, name, false}, func(s act.Step) (r act.Report, err error) {
		r, found, err = s.Alert(ctx, answer)
		return r, err
	})
	return alertOut{found, out}, err
}
