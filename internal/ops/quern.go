package ops

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ui"
)

// quern is the family of quern's names and shapes: `mcp --tools quern` serves it alone.
const quern = "quern"

// quernViews gives quern's rows their names. Most of its answers are ours or a part of them; tapping and typing are
// not: there "ok" means that the input was delivered, and what came of it is said beside it.
func quernViews(core []op.Op, t *touch, s *screen) []op.Op {
	var views []op.Op
	for _, o := range core {
		if slices.Contains(o.Also, quern) {
			views = append(views, o.In(quern))
		}
	}
	views = append(views, op.New(op.Spec{
		Name: "take_screenshot", Family: quern, Groups: []string{"ui"}, Route: "GET /api/v1/device/screenshot", Timeout: time.Minute,
		Summary: "Take a picture of the screen, half its size unless scale says otherwise", Hints: op.ReadOnly, Picture: true,
	}, s.quernScreenshot))
	return append(append(views, s.quernEyes()...), t.quernHands()...)
}

// QuernTapIn is quern's input.
type QuernTapIn struct {
	Label      string `json:"label,omitempty" doc:"the element's label, case ignored"`
	Identifier string `json:"identifier,omitempty" doc:"the element's accessibility identifier"`
	Type       string `json:"element_type,omitempty" doc:"the element's type, such as Button"`
	UDID       string `json:"udid,omitempty" doc:"the device; else the current one"`
}

// QuernTapOut is quern's answer, with the outcome beside it.
type QuernTapOut struct {
	Status  string         `json:"status"` // ok (delivered) or ambiguous
	UDID    string         `json:"udid,omitempty"`
	Tapped  *QuernTapped   `json:"tapped,omitempty"`
	Matches []ui.Candidate `json:"matches,omitempty"`
	Message string         `json:"message,omitempty"`
	Outcome ui.Outcome     `json:"outcome,omitempty"`
	Diff    []string       `json:"diff,omitempty"`

	text  string
	fault *fault.Fault
}

// QuernTapped is the element that was tapped.
type QuernTapped struct {
	Label      string  `json:"label"`
	Type       string  `json:"type"`
	Identifier string  `json:"identifier"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
}

// Text says what came of it: in words "ok" would claim too much.
func (o QuernTapOut) Text() string { return o.text }

// Fault is the core operation's: an input that may not have arrived is not "ok".
func (o QuernTapOut) Fault() *fault.Fault { return o.fault }

func (t *touch) quernTap(ctx context.Context, c *op.Call, in QuernTapIn) (QuernTapOut, error) {
	out, err := t.tap(ctx, c, TapIn{Target: Target{UDID: in.UDID}, ElementIn: ElementIn{Label: in.Label, Identifier: in.Identifier, Type: in.Type}, ActIn: usually})
	if several, ok := errors.AsType[*ui.AmbiguousError](err); ok {
		f := fault.From(err)
		return QuernTapOut{Status: "ambiguous", UDID: c.Device.UDID, Matches: several.Candidates, Message: f.Message, text: f.Message + "\n" + f.Hint}, nil
	}
	if err != nil {
		return QuernTapOut{}, err
	}
	view := quernAnswer(c, out)
	view.Tapped = &QuernTapped{out.Target.Label, out.Target.Type, out.Target.Identifier, out.Target.At.X, out.Target.At.Y}
	return view, nil
}

// QuernTypeIn is quern's input.
type QuernTypeIn struct {
	Text string `json:"text" doc:"the text"`
	UDID string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (t *touch) quernType(ctx context.Context, c *op.Call, in QuernTypeIn) (QuernTapOut, error) {
	out, err := t.typeText(ctx, c, TypeIn{Target: Target{UDID: in.UDID}, Text: in.Text, ActIn: usually})
	if err != nil {
		return QuernTapOut{}, err
	}
	return quernAnswer(c, out), nil
}

func quernAnswer(c *op.Call, out ActionOut) QuernTapOut {
	return QuernTapOut{Status: "ok", UDID: c.Device.UDID, Outcome: out.Outcome, Diff: out.Diff, text: out.Text(), fault: out.Fault()}
}

// QuernPressIn is quern's input.
type QuernPressIn struct {
	Button string `json:"button" doc:"HOME, LOCK, SIDE_BUTTON, SIRI or APPLE_PAY" enum:"HOME,LOCK,SIDE_BUTTON,SIRI,APPLE_PAY"`
	UDID   string `json:"udid,omitempty" doc:"the device; else the current one"`
}

func (t *touch) quernPress(ctx context.Context, c *op.Call, in QuernPressIn) (QuernTapOut, error) {
	button := map[string]string{"SIDE_BUTTON": "lock", "APPLE_PAY": "lock"}[in.Button]
	if button == "" {
		button = strings.ToLower(in.Button)
	}
	out, err := t.press(ctx, c, PressIn{PlainIn: PlainIn{Target: Target{UDID: in.UDID}}, Button: button, Times: times(in.Button)})
	if err != nil {
		return QuernTapOut{}, err
	}
	return quernAnswer(c, out), nil
}

// times is how often the side button is pressed: Apple Pay is a double press of it.
func times(button string) int {
	if button == "APPLE_PAY" {
		return 2
	}
	return 1
}
