package op

import (
	"fmt"
	"strings"
	"time"
)

// Instant is an input for a time in ISO 8601. A time without a zone is UTC.
type Instant string

// instants are the accepted formats. Each also accepts a fraction of a second.
var instants = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02",
}

// instantPattern is the pattern of all forms, for schemas: a date, optionally with a time and a zone. It does not match an empty text.
const instantPattern = `\s*(\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+ -]\d\d:?\d\d)?)?)?\s*`

// agoPattern is the pattern of a duration ago.
const agoPattern = `\+?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+|\d+(\.\d*)?d`

// Time returns the time; the zero time for an empty input.
func (i Instant) Time() (time.Time, error) {
	text := strings.ToUpper(strings.TrimSpace(string(i)))
	if text == "" {
		return time.Time{}, nil
	}
	if day := len("2006-01-02"); len(text) > day && text[day] == ' ' {
		text = text[:day] + "T" + text[day+1:]
	}
	text = strings.Replace(text, " ", "+", 1) // an unencoded query turns the + of a zone into a blank
	for _, layout := range instants {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not an RFC 3339 time", string(i))
}
