package oracle_test

import (
	"fmt"

	"ios-agent/internal/ui"
)

// deskAct is something that a step of a walk on the desktop can do.
type deskAct struct {
	name   string
	weight int
	aims   bool // at an element of the last look
	do     func(*deskChoice) (operation string, input in)
}

// deskChoice chooses for one step.
type deskChoice struct {
	*desk
	luck choice
	said string // what was chosen, for the history
}

// dialogButton closes the dialogs of the walk.
const dialogButton = "Understood"

func deskActs() []deskAct {
	itself := func(fn func(c *deskChoice)) func(*deskChoice) (string, in) {
		return func(c *deskChoice) (string, in) { fn(c); return "", nil }
	}
	return []deskAct{
		{"look", 8, false, func(*deskChoice) (string, in) { return "snapshot", in{} }},
		{"tap", 14, true, func(c *deskChoice) (string, in) { return "tap_element", in{"ref": c.ref(), "timeout_ms": 100} }},
		{"tap by name", 8, false, func(c *deskChoice) (string, in) {
			return "tap_element", in{"label": pick(&c.luck, []string{"Action", "Enabled", "Off", "Extra", dialogButton}), "timeout_ms": 100}
		}},
		{"fill", 8, false, func(c *deskChoice) (string, in) {
			return "fill", in{"label": c.field(), "text": c.text(), "timeout_ms": 100}
		}},
		{"type", 3, false, func(c *deskChoice) (string, in) {
			return "type_text", in{"label": c.field(), "text": c.text(), "timeout_ms": 100}
		}},
		{"set a value", 4, false, func(c *deskChoice) (string, in) {
			return "set_value", in{"label": "Volume", "to": pick(&c.luck, []string{"25%", "80%"}), "timeout_ms": 100}
		}},
		{"wait", 2, false, func(c *deskChoice) (string, in) { return "wait", in{"condition": "settled", "timeout": 1} }},
		{"another app is driven", 4, false, itself(func(c *deskChoice) { c.app = 1 - c.app })},
		{"the app changes a text", 4, false, itself(func(c *deskChoice) {
			c.apps[c.app].Set("Drop Here", func(title, value *string) { *value = fmt.Sprint(c.luck.of(1000)) })
			c.apps[c.app].Set("Name", func(_, value *string) { *value = fmt.Sprint("Kim ", c.luck.of(1000)) })
		})},
		{"the app asks", 4, false, itself(func(c *deskChoice) {
			if len(c.now(c.app).called("Sure?")) > 0 {
				return // another dialog of that name cannot be told from this one
			}
			c.apps[c.app].Ask("Sure?", dialogButton, c.luck.of(2) == 0, ui.Rect{X: 120, Y: 60, W: 200, H: 100})
		})},
		{"the app adds an element", 2, false, itself(func(c *deskChoice) { c.apps[c.app].Add("AXButton", "Extra") })},
		{"the app removes an element", 2, false, itself(func(c *deskChoice) {
			c.said = pick(&c.luck, []string{"Extra", "Drag Source"})
			c.apps[c.app].Remove(c.said)
		})},
		{"the window moves", 2, false, itself(func(c *deskChoice) { c.apps[c.app].MoveTo(float64(c.luck.of(300)), float64(c.luck.of(200))) })},
		{"restart", 1, false, itself((*deskChoice).restart)},
	}
}

// restart ends the daemon and starts another one, which knows of no windows.
func (c *deskChoice) restart() {
	c.shut()
	c.Restart()
	for i := range c.apps {
		c.seen[i], c.latest[i] = nil, nil
		clear(c.shown[i])
		c.Must(deskSession, "desktop_debug_attach", in{"pid": c.pids[i]})
	}
}

// ref is mostly one of the last look, at times an older one.
func (c *deskChoice) ref() string {
	if old := c.shown[c.app]; c.luck.of(5) == 0 && len(old) > 0 {
		return pick(&c.luck, sorted(old))
	}
	return pick(&c.luck, c.latest[c.app])
}

func (c *deskChoice) field() string { return pick(&c.luck, []string{"Name", "Keys"}) }

func (c *deskChoice) text() string { return pick(&c.luck, []string{"tea", "Émile", "two words"}) }
