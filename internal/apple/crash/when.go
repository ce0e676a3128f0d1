package crash

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"ios-agent/internal/text/lazyregexp"
)

// The times of reports. A time without a zone is taken as UTC.
var layouts = []string{
	"2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999 -07:00", "2006-01-02 15:04:05.999999999 Z0700",
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999-0700", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
}

// When is the time of the report; false when it tells none that can be read. Of a span it is the end.
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

// ID names the report: 12 hex digits, the same wherever its file is moved to. The file's name stands in for the incident where the
// report has none.
func (r *Report) ID(file string) string {
	incident := r.Incident
	if incident == "" {
		incident = file
	}
	at := r.Time
	if t, ok := r.When(); ok { // the forms of a report write it differently
		at = fmt.Sprint(t.Unix())
	}
	return digest(12, incident, r.App, fmt.Sprint(r.PID), at)
}

// Group is the same for reports that are about the same thing: 8 hex digits of the kind, the process, the exception and the functions
// of the app that were running, without addresses.
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

// groupFrames is how many functions make two crashes the same one. More would tell apart who called the one that crashed.
const groupFrames = 3

var noise = lazyregexp.New(`0x[0-9a-fA-F]+|\s\+\s\d+|@\d+`)

// place is where a frame is, the same in every run of the same build. The forms of a report name the app's image differently.
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

// Top are the frames that say most of a report: the app's own, innermost first, of where the exception was thrown or else of the
// thread that crashed; where the app has none there, the innermost frames of that thread. Calls of a function by itself are one frame.
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
