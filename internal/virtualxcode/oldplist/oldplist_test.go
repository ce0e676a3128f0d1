package oldplist_test

import (
	"testing"
	"time"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/oldplist"
)

func TestEncodeWritesOldStylePlist(t *testing.T) {
	got := oldplist.Encode(map[string]any{"b": []any{"x y", map[string]any{"c": true}}, "a": 1, "d": []any{}, "when": time.Unix(0, 0),
		"raw": []byte{1, 2}})
	const want = "{\n    a = 1;\n    b =     (\n        \"x y\",\n        {\n            c = 1;\n        }\n    );\n    d =     " +
		"(\n    );\n" +
		"    raw = \"{length = 2, bytes = 0x0102}\";\n    when = \"1970-01-01 00:00:00 +0000\";\n}\n"
	if got != want {
		t.Errorf("%s", got)
	}
}

// FuzzEncode: whatever the words, another reader reads them back.
func FuzzEncode(f *testing.F) {
	f.Add("a b", `"\`)
	f.Fuzz(func(t *testing.T, key, value string) {
		for _, r := range key + value {
			if r < ' ' || r > '~' {
				t.Skip("the other reader knows escapes of its own")
			}
		}
		var got map[string]any
		if _, err := plist.Unmarshal([]byte(oldplist.Encode(map[string]any{key: value})), &got); err != nil || got[key] != value {
			t.Errorf("%q %q: %v %v", key, value, got, err)
		}
	})
}
