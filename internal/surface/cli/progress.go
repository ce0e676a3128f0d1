package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"ios-agent/internal/op"
)

const (
	// barWidth is the width of a full bar in characters; lineWidth is the maximum width of a line that can be wiped.
	barWidth  = 24
	lineWidth = 79
	// quiet is how long a call may run before its progress is shown.
	quiet = 2 * time.Second
	// On a terminal, one line is rewritten every frame. Elsewhere a line is printed when the activity changes, and from time to time.
	frame      = 100 * time.Millisecond
	signOfLife = 30 * time.Second
)

const wipe = "\r\x1b[K"

// telling prints the progress of a call on stderr: on one line of a terminal, which is wiped at the end, else on separate lines.
type telling struct {
	out   io.Writer
	live  bool
	start time.Time

	mu    sync.Mutex
	last  op.Event
	told  string    // the message of the last line
	at    time.Time // of the last line
	begun bool      // a line was written
}

// progress starts to report a call.
func (a *App) progress(what string) (hear func(op.Event), done func()) {
	t := &telling{out: a.Err, live: a.Live, start: time.Now(), last: op.Event{Message: what}}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		t.tell(stop)
	}()
	return t.hear, func() {
		close(stop)
		<-stopped
		if t.begun && t.live {
			fmt.Fprint(t.out, wipe)
		}
	}
}

func (t *telling) hear(e op.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = e
}

func (t *telling) tell(stop <-chan struct{}) {
	every := quiet
	if t.live {
		every = frame
	}
	for next := time.NewTimer(quiet); ; next.Reset(every) {
		select {
		case <-stop:
			next.Stop()
			return
		case <-next.C:
			t.line()
		}
	}
}

func (t *telling) line() {
	t.mu.Lock()
	e := t.last
	t.mu.Unlock()
	took := time.Since(t.start)
	switch {
	case t.live:
		fmt.Fprint(t.out, wipe+clipped(spinner(took, e)+" "+Bar(e)+", "+took.Round(time.Second).String()))
	case e.Message == t.told && time.Since(t.at) < signOfLife:
		return
	default:
		fmt.Fprintf(t.out, "%s (%s)\n", e.Message, took.Round(time.Second))
	}
	t.told, t.at, t.begun = e.Message, time.Now(), true
}

// spinner turns while the progress is unknown; a bar replaces it.
func spinner(took time.Duration, e op.Event) string {
	if e.Total > 0 {
		return "·"
	}
	turns := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return turns[int(took/frame)%len(turns)]
}

func clipped(line string) string {
	if utf8.RuneCountInString(line) <= lineWidth {
		return line
	}
	return string([]rune(line)[:lineWidth-1]) + "…"
}

// Bar is one line of progress: with a bar if the share is known, else only the words.
func Bar(e op.Event) string {
	if e.Total <= 0 {
		return e.Message
	}
	share := min(max(e.Done/e.Total, 0), 1)
	full := int(share * barWidth)
	return fmt.Sprintf("[%s%s] %3.0f%% %s", strings.Repeat("█", full), strings.Repeat("░", barWidth-full), share*100, e.Message)
}
