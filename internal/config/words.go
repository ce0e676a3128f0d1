package config

import (
	"fmt"
	"strings"
)

// words are the spellings of a bool in the environment, and in YAML, where people write yes and on.
var words = map[string]bool{
	"1": true, "true": true, "yes": true, "on": true,
	"0": false, "false": false, "no": false, "off": false,
}

// read converts a text to a value of the key, for layers that contain only text.
func (k Key) read(text string) (any, error) {
	if k.Kind != Flag {
		return k.accept(text)
	}
	flag, known := words[strings.ToLower(strings.TrimSpace(text))]
	if !known {
		return nil, fmt.Errorf("expected 1, true, yes, on, 0, false, no or off, got %.40q", text)
	}
	return flag, nil
}

// scalar reports whether the key's value fits in one text; only such keys have a variable.
func (k Key) scalar() bool { return k.Kind != Map && k.Kind != List }
