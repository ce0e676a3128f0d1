package app_test

import (
	"maps"
	"testing"

	"ios-agent/internal/virtualxcode/app"
)

func TestRepeatMakesCopies(t *testing.T) {
	a, err := app.Parse([]byte(`start: a
state: {n: 0}
screens:
  a:
    elements:
      - {text: before}
      - repeat: {of: [Green Tea, Mug], from: 5, each: {button: "{item} {{index} {n}", id: "add-{item.id}-{index}"}}
      - {text: after}
`))
	if err != nil {
		t.Fatal(err)
	}
	e := a.Screens["a"].Elements
	if len(e) != 4 || e[1].ID != "add-green-tea-5" || e[2].ID != "add-mug-6" || e[3].Key != "#3" {
		t.Fatalf("elements are %+v", e)
	}
	if got := e[1].Text.Expand(a.State); got != "Green Tea {index} 0" {
		t.Errorf("the text is %q", got)
	}
}

func TestLaunchArgumentsSetVariables(t *testing.T) {
	a, err := app.Parse([]byte("start: a\nscreens: {a: {elements: [{text: \"{arg.user} {arg.fast} {arg.mode} {env.HOST}\"}]}}"))
	if err != nil {
		t.Fatal(err)
	}
	vars := a.Initial([]string{"-user", "ada", "--mode=dark", "-unknown", "1", "-fast"}, map[string]string{"HOST": "x", "OTHER": "y"})
	if got := a.Screens["a"].Elements[0].Text.Expand(vars); got != "ada true dark x" {
		t.Errorf("the text is %q", got)
	}
	if !a.State.Fits(vars) {
		t.Error("the launch added variables nobody asked for")
	}
}

func TestLinkPatternMatchesURL(t *testing.T) {
	for address, want := range map[string]app.Vars{
		"shop://item/5":         {"id": "5"},
		"SHOP://item/a%20b?x=1": {"id": "a b"},
		"shop://item/5/":        {"id": "5"},
		"shop://items/5":        nil,
		"shop://item":           nil,
		"other://item/5":        nil,
	} {
		got, ok := app.Link{Pattern: "shop://item/{id}"}.Match(address)
		if ok != (want != nil) || !maps.Equal(got, want) {
			t.Errorf("%s gives %v, %v", address, got, ok)
		}
	}
}
