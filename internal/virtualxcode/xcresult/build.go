package xcresult

import (
	"fmt"
	"net/url"
	"unicode"
	"unicode/utf8"
)

// buildResults is: get build-results.
func buildResults(b Bundle, _ query) (any, error) {
	return object{
		"actionTitle":          b.Title,
		"analyzerWarningCount": len(b.Build.Analyzer),
		"analyzerWarnings":     list(b.Build.Analyzer, func(i Issue) any { return i.json(b.Start) }),
		"destination":          b.Device.json(),
		"endTime":              b.End,
		"errorCount":           len(b.Build.Errors),
		"errors":               list(b.Build.Errors, func(i Issue) any { return i.json(b.Start) }),
		"startTime":            b.Start,
		"status":               b.Build.Status,
		"warningCount":         len(b.Build.Warnings),
		"warnings":             list(b.Build.Warnings, func(i Issue) any { return i.json(b.Start) }),
	}, nil
}

func (i Issue) json(at float64) object {
	o := object{"issueType": i.Type, "message": capital(i.Message), "className": "DVTTextDocumentLocation", "targetName": i.Target}
	if i.File != "" {
		o["sourceURL"] = i.url() + fmt.Sprintf("&Timestamp=%.6f", at-appleEpoch)
	}
	return o
}

// appleEpoch is the first second of 2001, from which Apple's timestamps count.
const appleEpoch = 978307200

// url is the location of an issue; lines and columns count from zero there.
func (i Issue) url() string {
	u := url.URL{Scheme: "file", Path: i.File}
	line, column := max(i.Line-1, 0), max(i.Column-1, 0)
	return u.String() + fmt.Sprintf("#EndingColumnNumber=%[1]d&EndingLineNumber=%[2]d&StartingColumnNumber=%[1]d&StartingLineNumber=%[2]d",
		column, line)
}

// capital gives a compiler message a capital first letter, as Xcode does.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
