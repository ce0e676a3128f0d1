package touch

import (
	"context"
	"strings"

	"ios-agent/internal/device/act"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/target"
)

func (t *Touch) textOps() []op.Op {
	return []op.Op{
		op.New(action("type_text", "type", "Type text at the end of a field or into the focus", func(s *op.Spec) {
			s.Help = "It reads the field back: it types a missing end again and reports any other difference. $SECRET:name types a secret by\n" +
				"its name; it never appears in answers or logs. A secure field shows only the number of its characters."
			s.Examples = []string{`type @e5 "a@b.c"`, `type --identifier email-field --text "a@b.c"`, `type "into the focused field"`}
		}), t.Type),
		op.New(action("fill", "fill", "Replace the text of a field", func(s *op.Spec) {
			s.Default = true
			s.Examples = []string{`fill @e5 "a@b.c"`, `fill --label Search --text shoes --submit`}
		}), t.Fill),
		op.New(action("clear", "clear", "Empty a field or the focused element", func(s *op.Spec) {
			s.Help = "A secure field is emptied without reading it."
			s.Examples = []string{"clear @e5"}
		}), t.Clear),
		op.New(action("press_key", "press-key", "Press a key: return, delete, tab, escape, an arrow, or one character",
			examples("press-key return", "press-key a --modifiers command", "press-key delete --times 3")), t.Key),
		op.New(action("key_sequence", "key-sequence", "Press keys one after the other", examples("key-sequence tab tab return")), t.Keys),
		op.New(action("hide_keyboard", "hide-keyboard", "Hide the keyboard, without typing", func(s *op.Spec) {
			s.Help = "It uses the dismiss key, a Done button above the keyboard, a drag in a scroll view, or a tap on empty space. If all fail,\n" +
				"the call fails (UNSUPPORTED). It never presses return, which would add a line or submit."
			s.Examples, s.Short = []string{"hide-keyboard"}, nil
		}), t.hideKeyboard),
	}
}

// TypeIn is a text and its field.
type TypeIn struct {
	target.Target
	target.ElementIn
	Text   string `json:"text" doc:"text; $SECRET:name is a secret by its name" cli:"arg" private:"true"`
	Submit bool   `json:"submit,omitempty" doc:"then press return"`
	target.ActIn
	target.ScrollIn
}

// Type types a text at the end of a field.
func (t *Touch) Type(ctx context.Context, c *op.Call, in TypeIn) (ActionOut, error) {
	return t.enter(ctx, c, in, "type", false)
}

// Fill replaces the text of a field.
func (t *Touch) Fill(ctx context.Context, c *op.Call, in TypeIn) (ActionOut, error) {
	return t.enter(ctx, c, in, "fill", true)
}

func (t *Touch) enter(ctx context.Context, c *op.Call, in TypeIn, name string, replace bool) (ActionOut, error) {
	text, err := t.secrets.Reveal(in.Text, c.Env)
	if err != nil {
		return ActionOut{}, err
	}
	how := in.How()
	how.Scroll = in.Scroll
	out, err := t.act(ctx, c, doing{in.Target, name, in.Expect}, func(s act.Step) (act.Report, error) {
		if err := t.confided(c, text != in.Text); err != nil {
			return act.Report{}, err
		}
		return s.Enter(ctx, how, in.Query(), act.Entry{Text: text, Replace: replace, Submit: in.Submit})
	})
	if out.Target != nil && !out.Target.secure {
		c.Reveal("text") // the screen shows the text, so the log may have it
	}
	return out, err
}

// confided refuses a text with secrets if the chosen driver may not get them.
func (t *Touch) confided(c *op.Call, secret bool) error {
	if !secret {
		return nil
	}
	return t.access.Confides(c)
}

// ClearIn names the field to empty.
type ClearIn struct{ target.OnElementIn }

// Clear empties a field.
func (t *Touch) Clear(ctx context.Context, c *op.Call, in ClearIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "clear", in.Expect}, func(s act.Step) (act.Report, error) {
		return s.Clear(ctx, in.How(), in.Query())
	})
}

// KeyIn names a key.
type KeyIn struct {
	PlainIn
	Key       string   `json:"key" doc:"the key" cli:"arg"`
	Modifiers []string `json:"modifiers,omitempty" doc:"modifier keys" enum:"shift,control,option,command"`
	Times     int      `json:"times,omitempty" doc:"number of presses" min:"1" max:"1000" default:"1"`
}

// Key presses a key.
func (t *Touch) Key(ctx context.Context, c *op.Call, in KeyIn) (ActionOut, error) {
	name := strings.Join(append(in.Modifiers, in.Key), "+")
	return t.act(ctx, c, doing{in.Target, "press " + name, in.Expect}, func(s act.Step) (act.Report, error) {
		return s.Key(ctx, in.Key, in.Modifiers, in.Times)
	})
}

// KeysIn names keys.
type KeysIn struct {
	PlainIn
	Keys []string `json:"keys" doc:"the keys" cli:"arg"`

	pause float64 // seconds between two keys
}

// Pausing sets the pause between two keys.
func (in KeysIn) Pausing(seconds float64) KeysIn {
	in.pause = seconds
	return in
}

// Keys presses keys one after the other.
func (t *Touch) Keys(ctx context.Context, c *op.Call, in KeysIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "press " + strings.Join(in.Keys, " "), in.Expect}, func(s act.Step) (act.Report, error) {
		return s.Keys(ctx, in.Keys, op.Seconds(in.pause))
	})
}

func (t *Touch) hideKeyboard(ctx context.Context, c *op.Call, in PlainIn) (ActionOut, error) {
	return t.act(ctx, c, doing{in.Target, "hide keyboard", in.Expect}, func(s act.Step) (act.Report, error) { return s.HideKeyboard(ctx) })
}
