package flaw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kind describes one fault that a virtual world can have.
type Kind struct {
	Name    string
	Does    string      // what happens, in one sentence
	Each    string      // the occasion on which it happens: "a tap", "a boot", …
	Report  string      // where it was met in practice
	Params  []Parameter // what can be set
	Passing bool        // trying again succeeds, so chaos may use it
	Mac     bool        // always happens in the profile real-mac
}

// Parameter is a detail of a fault that can be set: a number between two bounds, or one of some words.
type Parameter struct {
	Name     string
	Means    string
	Default  int
	Min, Max int
	Words    []string // the allowed values, if any; the first is the default
}

// Describe is a parameter in one line.
func (p Parameter) Describe() string {
	if len(p.Words) > 0 {
		return fmt.Sprintf("%s=%s (%s; one of %s)", p.Name, p.Words[0], p.Means, strings.Join(p.Words, ", "))
	}
	return fmt.Sprintf("%s=%d (%s; %d to %d)", p.Name, p.Default, p.Means, p.Min, p.Max)
}

// check says what is wrong with a value.
func (p Parameter) check(value string) error {
	if len(p.Words) > 0 {
		if !slices.Contains(p.Words, value) {
			return fmt.Errorf("%s is %q, must be one of %s", p.Name, value, strings.Join(p.Words, ", "))
		}
		return nil
	}
	if n, err := strconv.Atoi(value); err != nil || n < p.Min || n > p.Max {
		return fmt.Errorf("%s is %q, must be a whole number from %d to %d", p.Name, value, p.Min, p.Max)
	}
	return nil
}

// kinds is the table by name, built once: every look queries a dozen of them.
var kinds = sync.OnceValue(func() map[string]Kind {
	all := map[string]Kind{}
	for _, k := range Known() {
		all[k.Name] = k
	}
	return all
})

// kindCalled finds a kind by its name.
func kindCalled(name string) (Kind, error) {
	if k, ok := kinds()[name]; ok {
		return k, nil
	}
	return Kind{}, fmt.Errorf("unknown fault %q: known faults are %s", name, strings.Join(names(), ", "))
}

func names() (names []string) {
	for _, k := range Known() {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// check says what is wrong with the values set for a fault of this kind.
func (k Kind) check(set map[string]string) error {
	for name, value := range set {
		i := slices.IndexFunc(k.Params, func(p Parameter) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("unknown detail %[2]q of fault %[1]s, known: %[3]s", k.Name, name, k.settable())
		}
		if err := k.Params[i].check(value); err != nil {
			return fmt.Errorf("fault %s: %w", k.Name, err)
		}
	}
	return nil
}

func (k Kind) settable() string {
	if len(k.Params) == 0 {
		return "none"
	}
	var names []string
	for _, p := range k.Params {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// Hit is a fault that happens now, with its details.
type Hit struct {
	kind Kind
	set  map[string]string
}

// Int is the value of a number.
func (h Hit) Int(name string) int {
	p := h.parameter(name)
	if n, err := strconv.Atoi(h.set[name]); err == nil {
		return n
	}
	return p.Default
}

// Word is the value of a parameter that has Words.
func (h Hit) Word(name string) string {
	p := h.parameter(name)
	if w := h.set[name]; w != "" {
		return w
	}
	return p.Words[0]
}

// Seconds is the value of a number of seconds.
func (h Hit) Seconds(name string) time.Duration { return time.Duration(h.Int(name)) * time.Second }

// Millis is the value of a number of milliseconds.
func (h Hit) Millis(name string) time.Duration { return time.Duration(h.Int(name)) * time.Millisecond }

func (h Hit) parameter(name string) Parameter {
	for _, p := range h.kind.Params {
		if p.Name == name {
			return p
		}
	}
	panic("fault " + h.kind.Name + " declares no " + name)
}

// Values are all details; details that were not set have their defaults.
func (h Hit) Values() map[string]string {
	all := map[string]string{}
	for _, p := range h.kind.Params {
		switch {
		case h.set[p.Name] != "":
			all[p.Name] = h.set[p.Name]
		case len(p.Words) > 0:
			all[p.Name] = p.Words[0]
		default:
			all[p.Name] = strconv.Itoa(p.Default)
		}
	}
	return all
}
