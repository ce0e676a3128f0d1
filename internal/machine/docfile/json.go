package docfile

import (
	"encoding/json"
	"errors"
)

// JSON refuses a text that is not JSON or exceeds the bounds.
func JSON(text []byte) error {
	if err := jsonNotation.check(text); err != nil {
		return err
	}
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	if err == nil {
		return nil
	}
	at := len(text)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = max(0, int(syntax.Offset)-1)
	}
	return &Problem{lineAt(text, at), "this is not plain JSON, which has no comments and no comma at the end"}
}

// JSONC refuses a text that exceeds the bounds. It does not check that the text is JSON with comments: its reader does.
func JSONC(text []byte) error { return jsoncNotation.check(text) }

// TOML refuses a text that exceeds the bounds. It does not check that the text is TOML: its reader does.
func TOML(text []byte) error { return tomlNotation.check(text) }
