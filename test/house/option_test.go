package house_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// forPrograms are the inputs whose texts are arguments of a program, as their names say.
var forPrograms = []string{"args", "extra_args", "extraArgs", "launchArgs", "arguments"}

// TestNoInputBecomesAnOption gives every other parameter a text that looks like an option. No program gets it where it would read an
// option: only as the value of one, or as part of something else.
func TestNoInputBecomesAnOption(t *testing.T) {
	t.Parallel()
	const option = "--canary-option"
	seen := &optionsSeen{found: map[string]bool{}, option: option}
	h := house.New(t, house.Options{Programs: seen.program})
	h.Boot("a", drivertest.Conformance)
	files := h.Files()
	for i, o := range h.Product.Catalogue.Ops() {
		if o.Streams() || !sampled(i, 4) {
			continue
		}
		id := h.Product.Catalogue.ID(o)
		for _, f := range o.Fields() {
			if f.Kind != op.String && f.Kind != op.Strings && f.Kind != op.File || slices.Contains(forPrograms, f.Name) || len(f.Enum) > 0 {
				continue
			}
			input := files.Example(o, id)
			input[f.Name] = option
			if f.Kind == op.Strings {
				input[f.Name] = []string{option}
			}
			if f.Name != "session" {
				input["session"] = "a"
			}
			seen.trying(id + " " + f.Name)
			timed(t, h, o, input)
		}
	}
	if seen.programs < 100 && full() {
		t.Errorf("only %d programs were started", seen.programs)
	}
	for what := range seen.found {
		t.Error(what)
	}
}

// optionsSeen finds an option among the arguments of programs.
type optionsSeen struct {
	option string

	mu       sync.Mutex
	now      string
	programs int
	found    map[string]bool
}

func (s *optionsSeen) trying(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = what
}

func (s *optionsSeen) program(name string, tool host.Main) host.Main {
	return func(ctx context.Context, in host.Invocation) int {
		s.started(name, in.Args)
		if tool == nil {
			return 0
		}
		return tool(ctx, in)
	}
}

func (s *optionsSeen) started(name string, args []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.programs++
	for i, arg := range args {
		valued := i > 0 && strings.HasPrefix(args[i-1], "-") && args[i-1] != "-"
		if strings.HasPrefix(arg, s.option) && !valued && !slices.Contains(args[:i], "--") {
			s.found[fmt.Sprintf("%s: %s %q", s.now, filepath.Base(name), args)] = true
		}
	}
}
