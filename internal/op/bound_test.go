package op_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// muchIn says how much is wanted.
type muchIn struct {
	Limit int  `json:"limit,omitempty" doc:"at most so many" default:"10" min:"0" max:"1000000" more:"true"`
	Full  bool `json:"full,omitempty" doc:"all of it" more:"true"`
}

type muchLine struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// muchOut has much to say.
type muchOut struct {
	Lines []muchLine        `json:"lines"`
	Table map[string]string `json:"table"`
	Total int               `json:"total"`
}

// Text is a line a line.
func (o muchOut) Text() string {
	var text strings.Builder
	for _, l := range o.Lines {
		fmt.Fprintf(&text, "%d %s\n", l.Number, l.Text)
	}
	return text.String()
}

// bareOut is muchOut without a text of its own.
type bareOut muchOut

func much(lines, bytes int) muchOut {
	out := muchOut{Total: lines, Table: map[string]string{"a": "b"}}
	for i := range lines {
		out.Lines = append(out.Lines, muchLine{i, strings.Repeat("é\"", bytes/3)})
	}
	return out
}

// chatty is a catalogue of an operation that answers with out, and with its JSON alone; kept has what it kept, by its ending.
func chatty(out muchOut, err error) (c *op.Catalogue, kept map[string][]byte) {
	kept = map[string][]byte{}
	spec := func(name string) op.Spec {
		return op.Spec{Name: name, Groups: []string{"x"}, Summary: "Say much", Own: 300 << 10}
	}
	return op.NewCatalogue([]op.Op{
		op.New(spec("chat"), func(context.Context, *op.Call, muchIn) (muchOut, error) { return out, err }),
		op.New(spec("bare"), func(context.Context, *op.Call, muchIn) (bareOut, error) { return bareOut(out), err }),
	}, op.Options{Keep: func(name, ending string, whole []byte) (string, error) {
		kept[ending] = whole
		return "/answers/" + name + "." + ending, nil
	}}), kept
}

func TestLongAnswerIsCutAndStoredWhole(t *testing.T) {
	for _, size := range []struct{ lines, bytes int }{{1, 3 << 20}, {3, 1 << 20}, {100, 10_000}, {20_000, 30}, {2000, 3000}} {
		out := much(size.lines, size.bytes)
		c, kept := chatty(out, nil)
		for _, name := range []string{"chat", "bare"} {
			e := c.Run(t.Context(), name, op.Call{}, []byte(`{"limit":5}`))
			var got muchOut
			if err := json.Unmarshal(e.Result, &got); err != nil || len(e.Result) > op.MostJSON || got.Total != size.lines ||
				len(got.Lines) == 0 || got.Table["a"] != "b" {
				t.Errorf("%s of %+v: got %d bytes of JSON, %d lines, %v; want at most %d with all members", name, size, len(e.Result),
					len(got.Lines), err, op.MostJSON)
			}
			if text := e.Text(); len(text) > op.MostText || !strings.Contains(text, `the whole is in "/answers/`+name+`.json"`) ||
				!strings.Contains(text, "ask for more with ‹input:limit› or ‹input:full›") {
				t.Errorf("%s of %+v: got a text of %d bytes, want at most %d and where the rest is\n%s", name, size, len(text), op.MostText,
					text[max(0, len(text)-300):])
			}
			if name == "bare" && !json.Valid([]byte(e.Stdout)) {
				t.Errorf("%+v: got a text that is not JSON: %.100s", size, e.Stdout)
			}
		}
		if whole, _ := json.Marshal(out); string(kept["json"]) != string(whole) || string(kept["txt"]) != out.Text() {
			t.Errorf("%+v: kept %d and %d bytes, want the whole JSON and the whole text", size, len(kept["json"]), len(kept["txt"]))
		}
	}
}

// lateOut is muchOut with the newest line last.
type lateOut struct {
	Lines []muchLine `json:"lines" newest:"last"`
	Total int        `json:"total"`
}

// Text is the total, and a line a line.
func (o lateOut) Text() string {
	return fmt.Sprintf("%d lines\n", o.Total) + muchOut{Lines: o.Lines}.Text()
}

// TestCutKeepsNewestLines of a list that has it last, in JSON and in text, with the line that heads the text.
func TestCutKeepsNewestLines(t *testing.T) {
	const lines = 500
	c := op.NewCatalogue([]op.Op{
		op.New(op.Spec{Name: "late", Groups: []string{"x"}, Summary: "Say much"}, func(context.Context, *op.Call, muchIn) (lateOut, error) {
			return lateOut{much(lines, 600).Lines, lines}, nil
		}),
	}, op.Options{})
	e := c.Run(t.Context(), "late", op.Call{}, nil)
	var got lateOut
	if err := json.Unmarshal(e.Result, &got); err != nil {
		t.Fatal(err)
	}
	n := len(got.Lines)
	if n == 0 || n == lines || got.Lines[n-1].Number != lines-1 || got.Lines[0].Number != lines-n {
		t.Errorf("got %d lines of %d, from %d to %d, want the last ones", n, lines, got.Lines[0].Number, got.Lines[n-1].Number)
	}
	if text := e.Stdout; !strings.HasPrefix(text, "500 lines\n… ") || !strings.Contains(text, "\n499 ") || strings.Contains(text, "\n0 ") {
		t.Errorf("got %.80q … %.80q, want the head and the last lines", text, text[max(0, len(text)-700):])
	}
}

func TestAnswerIsWholeWhenCallAsksForMore(t *testing.T) {
	c, kept := chatty(much(100, 10_000), nil)
	for _, input := range []string{`{"limit":11}`, `{"limit":0}`, `{"full":true}`} {
		if e := c.Run(t.Context(), "chat", op.Call{}, []byte(input)); len(e.Result) < 1_000_000 || len(e.Stdout) < 1_000_000 {
			t.Errorf("%s: got %d and %d bytes, want all", input, len(e.Result), len(e.Stdout))
		}
	}
	if len(kept) > 0 {
		t.Errorf("kept %d answers, want none", len(kept))
	}
	c, _ = chatty(much(20, 10_000), nil)
	if e := c.Run(t.Context(), "chat", op.Call{Alone: true}, []byte(`{}`)); len(e.Result) < 200_000 || len(e.Text()) > op.MostText {
		t.Errorf("got %d bytes of JSON and %d of text, want what the other product gives", len(e.Result), len(e.Text()))
	}
}

func TestShortAnswerIsNotCut(t *testing.T) {
	c, kept := chatty(much(100, 30), nil)
	e := c.Run(t.Context(), "chat", op.Call{}, []byte(`{}`))
	if len(kept) > 0 || len(e.Meta.Notices) > 0 || strings.Count(e.Stdout, "\n") != 100 {
		t.Errorf("got %+v and %d lines, kept %d; want all and no notice", e.Meta.Notices, strings.Count(e.Stdout, "\n"), len(kept))
	}
}

func TestLongFaultIsCut(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	c, _ := chatty(muchOut{}, fault.New(fault.ToolFailed, "%s", long).WithHint("%s", long).With("said", long).With("tool", "simctl"))
	e := c.Run(t.Context(), "chat", op.Call{}, nil)
	raw, err := json.Marshal(e)
	if err != nil || len(raw) > op.MostJSON || len(e.Text()) > op.MostText || e.Error.Details["tool"] != "simctl" {
		t.Errorf("got %d bytes of JSON, %d of text, %v; want less, and its short details", len(raw), len(e.Text()), err)
	}
}

func TestCutAnswerReportsFailedStorage(t *testing.T) {
	c := op.NewCatalogue([]op.Op{op.New(op.Spec{Name: "chat", Groups: []string{"x"}, Summary: "Say much"},
		func(context.Context, *op.Call, muchIn) (muchOut, error) { return much(10, 100_000), nil })},
		op.Options{Keep: func(string, string, []byte) (string, error) { return "", errors.New("the disk is full") }})
	if text := c.Run(t.Context(), "chat", op.Call{}, nil).Text(); !strings.Contains(text, "could not be kept: the disk is full") {
		t.Errorf("got no word of it in\n%s", text[max(0, len(text)-300):])
	}
}
