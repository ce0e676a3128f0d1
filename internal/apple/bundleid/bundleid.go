// Package bundleid says which texts are bundle ids. The id of an app stands unquoted in outlines, faults and command lines. It is also
// chosen by the author of the app, and told by programs that are not ours. Each of them is checked where it enters; Check is the one rule.
package bundleid

import (
	"fmt"

	"ios-agent/internal/text/lazyregexp"
)

// Apple allows letters, digits, hyphens and periods. Simulators install ids with underscores as well, and there are such apps, so that
// underscores pass. None of these characters ends a line, a word or a quotation. A hyphen at the start would be an option of a tool.
var form = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$`)

// Check refuses a text that is not a bundle id.
func Check(id string) error {
	if form.MatchString(id) {
		return nil
	}
	return fmt.Errorf("%.80q is not a bundle id: it must have letters, digits, periods, hyphens and underscores, at most 255", id)
}

// Shown is an id of others as it may stand in a text: as it is, or quoted on one line if it is not a bundle id.
func Shown(id string) string {
	if id == "" || Check(id) == nil {
		return id
	}
	return fmt.Sprintf("%.80q", id)
}
