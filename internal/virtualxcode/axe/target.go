package axe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/axtree"
	"ios-agent/internal/virtualxcode/swiftargs"
	"ios-agent/internal/virtualxcode/world"
)

const tip = "Make sure the app is on the expected screen, then run `axe describe-ui --udid <SIMULATOR_UDID>` and prefer --id " +
	"when available."

// unresolved is the error of a selector that does not match exactly one element.
type unresolved struct {
	message string
	missing bool // without a match now, but a later look may have one
}

func (u unresolved) Error() string { return u.message }

// selector describes the element to find.
type selector struct {
	option, text, kind string
	timeout, poll      float64
}

// selector reads the one selector among the options.
func (c call) selector(options ...string) (s selector, err error) {
	for _, option := range options {
		if !c.args.Has(option) {
			continue
		}
		if s.option != "" {
			return s, swiftargs.Refuse("Use only one of %s.", strings.Join(options[:len(options)-1], ", ")+" or "+options[len(options)-1])
		}
		s.option, s.text = option, c.args.Value(option)
		if strings.TrimSpace(s.text) == "" {
			return s, swiftargs.Refuse("%s must not be empty.", option)
		}
	}
	s.kind = c.args.Value("--element-type")
	if s.timeout, err = c.number("--wait-timeout", 0); err == nil && s.timeout < 0 {
		err = swiftargs.Refuse("--wait-timeout must be non-negative.")
	}
	if err != nil {
		return s, err
	}
	if s.poll, err = c.number("--poll-interval", 0.25); err == nil && s.poll <= 0 && s.timeout > 0 {
		err = swiftargs.Refuse("--poll-interval must be greater than 0 when --wait-timeout is active.")
	}
	return s, err
}

// resolve finds the one matching element. Without a match it looks again until the wait timeout ends.
func (c call) resolve(ctx context.Context, s selector) (axtree.Node, error) {
	for waited := 0.0; ; waited += s.poll {
		screen, err := c.look(ctx)
		if err != nil {
			return axtree.Node{}, err
		}
		n, err := s.among(screen.Flat())
		if u, is := err.(unresolved); !is || !u.missing || waited >= s.timeout {
			return n, err
		}
		if err := c.world.Sleep(ctx, seconds(s.poll)); err != nil {
			return axtree.Node{}, err
		}
	}
}

// among picks the matching element. If several elements have the label or value, a switch comes first, then other touchable elements,
// then the rest.
func (s selector) among(nodes []axtree.Node) (axtree.Node, error) {
	want := strings.TrimSpace(s.text)
	matches := slices.DeleteFunc(slices.Clone(nodes), func(n axtree.Node) bool {
		text := map[string]*string{"--id": n.UniqueID, "--label": n.Label, "--value": n.Value}[s.option]
		return text == nil || strings.TrimSpace(*text) != want || s.kind != "" && n.Type != s.kind
	})
	if s.option != "--id" {
		for _, better := range []func(axtree.Node) bool{isSwitch, touchable} {
			if some := slices.DeleteFunc(slices.Clone(matches), func(n axtree.Node) bool { return !better(n) }); len(some) > 0 {
				matches = some
				break
			}
		}
	}
	what := fmt.Sprintf("%s '%s'", s.option, s.text)
	switch {
	case len(matches) == 1:
		return matches[0], nil
	case len(matches) == 0:
		return axtree.Node{}, unresolved{fmt.Sprintf("No accessibility element matched %s. %s", what, tip), true}
	case slices.ContainsFunc(matches, func(n axtree.Node) bool { return n.UniqueID != nil }):
		return axtree.Node{}, unresolved{fmt.Sprintf("Multiple (%d) accessibility elements matched %s. Use --id when labels are "+
			"not unique. %s", len(matches), what, tip), false}
	}
	return axtree.Node{}, unresolved{fmt.Sprintf("Multiple (%d) accessibility elements matched %s, and none of the matches expose "+
		"AXUniqueId on this screen. "+
		"Use coordinates for this step (tap -x/-y) or target a more specific screen/state. %s", len(matches), what, tip), false}
}

func isSwitch(n axtree.Node) bool { return n.Subrole != nil && *n.Subrole == "AXSwitch" }

func touchable(n axtree.Node) bool {
	return slices.Contains([]string{"Button", "TextField", "TextArea", "Slider", "Link"}, n.Type)
}

// wideSwitch is a switch together with its label: the touchable part is at its right end.
const (
	wideSwitch = 100
	switchEnd  = 31
)

// spot is the point to touch on an element.
func spot(n axtree.Node) world.Point {
	at := n.Frame.Centre()
	if isSwitch(n) && n.Frame.W > wideSwitch {
		at.X = n.Frame.X + n.Frame.W - switchEnd
	}
	return at
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
