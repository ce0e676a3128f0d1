package crash

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/text/lazyregexp"
)

// The time formats of reports. A time without a zone counts as UTC.
var layouts = []string{
	"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999 -07:00", "2006-01-02 15:04:05.999999999 Z0700",
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999-0700", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
}

// When is the time of the report; for a span, its end. It returns false if the report has no readable time.
func (r *Report) When() (time.Time, bool) {
	text := r.Time
	if _, end, span := strings.Cut(text, " to "); span {
		text = end
	}
	text = strings.TrimSpace(text)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 0 && t.Year() < 9999 {
			return t, true
		}
	}
	return time.Time{}, false
}

// ID names the report: 12 hex digits that do not depend on the file's place. If the report has no incident, the file's name replaces it.
func (r *Report) ID(file string) string {
	incident := r.Incident
	if incident == "" {
		incident = file
	}
	at := r.Time
	if t, ok := r.When(); ok { // the formats write the time differently
		at = fmt.Sprint(t.Unix())
	}
	return digest(12, incident, r.App, fmt.Sprint(r.PID), at)
}

// Group is equal for reports of the same problem: 8 hex digits of the kind, the process, the exception and the app's functions in the
// stack, without addresses.
func (r *Report) Group() string {
	of := []string{string(r.Kind), r.App, r.Exception.Type, r.Exception.Signal}
	if r.Memory != nil {
		for _, p := range r.Memory.Ended() {
			of = append(of, p.Name, p.Reason)
		}
	}
	if r.Kind == Resource || r.Kind == Hang {
		of = append(of, r.Event)
	}
	for _, f := range r.Top(groupFrames) {
		of = append(of, f.place())
	}
	return digest(8, of...)
}

// groupFrames is the number of functions that make two crashes equal. More functions would separate the callers of the crashing one.
const groupFrames = 3

var noise = lazyregexp.New(`0x[0-9a-fA-F]+|\s\+\s\d+|@\d+`)

// place identifies a frame in every run of the same build. The formats of a report name the app's image differently.
func (f Frame) place() string {
	image := f.Image
	if f.Own {
		image = "app"
	}
	if f.Symbol == "" {
		return fmt.Sprintf("%s+%d", image, f.Offset)
	}
	return image + " " + strings.Join(noise.Split(f.Symbol, -1), "")
}

func digest(digits int, of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	return fmt.Sprintf("%x", sum)[:digits]
}

// Top are the most informative frames: the app's own, innermost first, of the place where the exception was thrown, or else of the crashed
// thread. If that has none, they are its innermost frames. Recursive calls are one frame.
func (r *Report) Top(most int) []Frame {
	var stacks []Thread
	stacks = append(stacks, r.Backtraces...)
	if t := r.CrashedThread(); t != nil {
		stacks = append(stacks, *t)
	}
	pick := func(fits func(Frame) bool) (out []Frame) {
		for _, t := range stacks {
			for _, f := range t.Frames {
				if fits(f) && len(out) < most && (len(out) == 0 || out[len(out)-1].place() != f.place()) {
					out = append(out, f)
				}
			}
			if len(out) > 0 {
				break
			}
		}
		return out
	}
	if own := pick(func(f Frame) bool { return f.Own && f.Symbol != "main" }); len(own) > 0 {
		return own
	}
	return pick(func(Frame) bool { return true })
}
