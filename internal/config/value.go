package config

import (
	"fmt"
	"slices"
	"strings"
)

// blank reports whether a value counts as missing: agents send "" and null for "I have nothing to say", and that must not hide a default.
func blank(value any) bool {
	text, isText := value.(string)
	return value == nil || isText && strings.TrimSpace(text) == ""
}

// accepts has for each kind the function that checks a value decoded from JSON and converts it.
var accepts = map[Kind]func(Key, any) (any, error){
	Text:   acceptText,
	Flag:   acceptFlag,
	Choice: acceptChoice,
	Map:    acceptMap,
	List:   acceptList,
}

// accept checks a value and returns a copy in the Go type of the key's kind.
func (k Key) accept(value any) (any, error) { return accepts[k.Kind](k, value) }

func acceptText(k Key, value any) (any, error) {
	if text, ok := value.(string); ok {
		if k.URL {
			return address(text)
		}
		return text, nil
	}
	return nil, fmt.Errorf("expected a string, got %s", describe(value))
}

func acceptFlag(_ Key, value any) (any, error) {
	if flag, ok := value.(bool); ok {
		return flag, nil
	}
	return nil, fmt.Errorf("expected true or false, got %s", describe(value))
}

func acceptChoice(k Key, value any) (any, error) {
	if text, ok := value.(string); ok && slices.Contains(k.Choices, text) {
		return text, nil
	}
	return nil, fmt.Errorf("expected one of %s, got %s", strings.Join(k.Choices, ", "), describe(value))
}

func acceptList(_ Key, value any) (any, error) {
	switch v := value.(type) {
	case []string:
		return append([]string{}, v...), nil
	case []any:
		return texts(v)
	}
	return nil, fmt.Errorf("expected a list of strings, got %s", describe(value))
}

func texts(items []any) ([]string, error) {
	list := make([]string, 0, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("expected a list of strings, item %d is %s", i+1, describe(item))
		}
		list = append(list, text)
	}
	return list, nil
}

// acceptMap also takes [{key, value}]: some clients cannot send a map of free keys.
func acceptMap(_ Key, value any) (any, error) {
	out := map[string]string{}
	put := func(name string, value any) error {
		text, ok := value.(string)
		if !ok || name == "" || strings.Contains(name, "=") {
			return fmt.Errorf("expected names and strings, entry %q is %s", name, describe(value))
		}
		out[name] = text
		return nil
	}
	return out, pairs(value, put)
}

func pairs(value any, put func(string, any) error) error {
	switch v := value.(type) {
	case map[string]string:
		for name, text := range v {
			if err := put(name, text); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, one := range v {
			if err := put(name, one); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			pair, _ := item.(map[string]any)
			name, _ := pair["key"].(string)
			if err := put(name, pair["value"]); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("expected a map of strings, got %s", describe(value))
	}
	return nil
}

// describe returns a value's type in JSON's words, and the value itself if it is short.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("%.40q", v)
	case []any, []string:
		return "a list"
	case map[string]any, map[string]string:
		return "a map"
	}
	return "a number"
}
