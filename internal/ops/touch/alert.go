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
	return []op.Op{op.New(action("alert", "alert", "Read and answer the alert of the system or the app",
		ofPhones("alert", "alert accept", `alert "Allow Once"`)), t.alert)}
}

// alertIn is the answer to an alert.
type alertIn struct {
	target.Target
	Answer  string `json:"answer,omitempty" doc:"accept, dismiss or a button's label; default: only read" cli:"arg"`
	Accept  bool   `json:"accept,omitempty" doc:"press the affirmative button"`
	Dismiss bool   `json:"dismiss,omitempty" doc:"press the cancel button"`
	Button  string `json:"button,omitempty" doc:"press the button with this label"`
}

// alertOut is the alert, and the result of the answer.
type alertOut struct {
	Alert *device.Alert `json:"alert"`
	ActionOut
}

// Text is the result of the answer and the alert.
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

// Check validates the input. A batch checks all its steps before it runs the first.
func (in alertIn) Check() error {
	_, err := in.answer()
	return err
}

// answer is the button to press; empty: none.
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
