package ops

import (
	"encoding/json"
	"fmt"
	"strings"
)

// nextCall spells a call that usually follows, with its values: nextCall("launch_app_sim", "bundleId", id).
func nextCall(tool string, pairs ...any) string {
	var args []string
	for i := 0; i+1 < len(pairs); i += 2 {
		value, err := json.Marshal(pairs[i+1])
		if err != nil {
			value = []byte(`"…"`)
		}
		args = append(args, fmt.Sprintf("%s: %s", pairs[i], value))
	}
	if len(args) == 0 {
		return tool + "({})"
	}
	return tool + "({ " + strings.Join(args, ", ") + " })"
}

// andNext adds the calls that usually follow to a text.
func andNext(text string, calls []string) string {
	if len(calls) == 0 {
		return text
	}
	return text + "\nnext steps:\n  " + strings.Join(calls, "\n  ")
}
