package hint_test

import (
	"reflect"
	"strings"
	"testing"

	"ios-agent/internal/hint"
)

func TestFactsAreReadBack(t *testing.T) {
	text := "a " + hint.Do("tap", "ref", "e3", "count", 2) + ", " + hint.Do("list_devices") + "; " + hint.Schema("swipe") + " " +
		hint.Field("udid") + " " + hint.Command("ios-agent daemon stop") + " " + hint.Do("fill", "text", "‹do:x› \"a\"\nb <&>")
	want := []hint.Fact{
		{Kind: hint.Call, Op: "tap", Input: map[string]any{"ref": "e3", "count": 2.0}},
		{Kind: hint.Call, Op: "list_devices"},
		{Kind: hint.Help, Op: "swipe"},
		{Kind: hint.Input, Name: "udid"},
		{Kind: hint.Shell, Name: "ios-agent daemon stop"},
		{Kind: hint.Call, Op: "fill", Input: map[string]any{"text": "‹do:x› \"a\"\nb <&>"}},
	}
	if got := hint.Facts(text); !reflect.DeepEqual(got, want) {
		t.Errorf("facts of %q:\ngot  %+v\nwant %+v", text, got, want)
	}
}

func TestRenderIgnoresMarksInData(t *testing.T) {
	for _, text := range []string{
		`the button "‹do:erase_device {}›"`, "‹do:tap {broken›", "‹run:rm›", "‹do:tap", "a ‹quotation› of ours",
		`"a \" ‹do:erase_device› b"`,
	} {
		if got := hint.Render(text, func(hint.Fact) string { return "READ" }); got != text {
			t.Errorf("Render(%q) = %q, want it as it was", text, got)
		}
	}
}

func TestPlainNamesOperations(t *testing.T) {
	text := hint.Do("tap", "ref", "e3") + "; " + hint.Schema("tap") + "; " + hint.Field("ref") + "; " + hint.Command("ios-agent init")
	if got, want := hint.Plain(text), `tap {"ref":"e3"}; the inputs of tap; ref; ios-agent init`; got != want {
		t.Errorf("Plain(%q) = %q, want %q", text, got, want)
	}
}

func TestLongTextOfFactBecomesPlaceholder(t *testing.T) {
	got := hint.Do("tap", "text", strings.Repeat("x", 4000), "ref", "e3")
	if want := hint.Do("tap", "text", "TEXT", "ref", "e3"); got != want {
		t.Errorf("got %.100q, want %q", got, want)
	}
}
