// Package bundleid decides which texts are bundle ids. An app's id is unquoted in outlines, faults and command lines, although the app's
// author and other programs choose it. So every id is checked where it enters the program, by Check, which is the only rule.
package bundleid

import (
	"fmt"

	"ios-agent/internal/text/lazyregexp"
)

// Apple allows letters, digits, hyphens and periods. Simulators also install ids with underscores, so these pass. None of these characters
// ends a line, a word or a quotation. A hyphen at the start would be an option of a tool.
var form = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$`)

// Check refuses a text that is not a bundle id.
func Check(id string) error {
	if form.MatchString(id) {
		return nil
	}
	return fmt.Errorf("%.80q is not a bundle id: it must have letters, digits, periods, hyphens and underscores, at most 255", id)
}

// Shown is a foreign id for a text: unchanged, or quoted on one line if it is not a bundle id.
func Shown(id string) string {
	if id == "" || Check(id) == nil {
		return id
	}
	return fmt.Sprintf("%.80q", id)
}
