package op

import "ios-agent/internal/text/oneline"

// legible is an answer whose texts can be shown on a terminal, whatever the caller or an app put into them: no control character
// but a line break and a tab, and none that turns the direction of a line. JSON keeps what it was given.
func legible(e Envelope) Envelope {
	e.Stdout = oneline.Legible(e.Stdout)
	if e.Error != nil {
		f := *e.Error
		f.Message, f.Hint = oneline.Legible(f.Message), oneline.Legible(f.Hint)
		e.Error = &f
	}
	return e
}
