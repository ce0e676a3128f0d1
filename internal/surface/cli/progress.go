package cli

import (
	"fmt"
	"os"
	"strings"

	"ios-agent/internal/op"
)

// barWidth is how many characters a full bar has.
const barWidth = 24

// progress shows progress on one line of a terminal and wipes it at the end; a pipe gets nothing.
func (a *App) progress() (show func(op.Event), done func()) {
	file, ok := a.Err.(*os.File)
	if !ok {
		return nil, func() {}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil, func() {}
	}
	const wipe = "\r\x1b[K"
	return func(e op.Event) { fmt.Fprint(file, wipe+Bar(e)) }, func() { fmt.Fprint(file, wipe) }
}

// Bar is one line of progress: a bar when it is known how far it is, else only the words.
func Bar(e op.Event) string {
	if e.Total <= 0 {
		return "… " + e.Message
	}
	share := min(max(e.Done/e.Total, 0), 1)
	full := int(share * barWidth)
	return fmt.Sprintf("[%s%s] %3.0f%% %s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), share*100, e.Message)
}
