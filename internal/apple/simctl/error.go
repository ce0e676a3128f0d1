package simctl

import (
	"fmt"
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// The domains of errors that callers check.
const (
	DomainSim    = "com.apple.CoreSimulator.SimError"
	DomainPOSIX  = "NSPOSIXErrorDomain"                   // Code is an errno
	DomainLaunch = "FBSOpenApplicationServiceErrorDomain" // the app would not open
)

const noSuchProcess = 3 // ESRCH; simctl's exit code too

// Error is a refusal of simctl: a domain, a code and a text, and often an underlying error.
type Error struct {
	Domain     string // empty when simctl gave only text, which is then in Raw
	Code       int
	Message    string // without indent, lines kept
	Underlying *Error
	Raw        string // the text around the structured part, or the whole text
}

// Error has the message, or else any other text, and the code, because such errors are searched by their code.
func (e *Error) Error() string {
	text := oneLine(e.Message)
	if text == "" && e.Underlying != nil {
		text = oneLine(e.Underlying.Message)
	}
	if text == "" {
		text = oneLine(e.Raw)
	}
	if e.Domain == "" {
		return text
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s %d)", text, e.Domain, e.Code))
}

// Unwrap returns the error below.
func (e *Error) Unwrap() error {
	if e.Underlying == nil {
		return nil
	}
	return e.Underlying
}

// Has reports whether this error or an underlying one has this domain and code.
func (e *Error) Has(domain string, code int) bool {
	for ; e != nil; e = e.Underlying {
		if e.Domain == domain && e.Code == code {
			return true
		}
	}
	return false
}

// State is the X of a refusal that ends in "in current state: X", such as "Booted" or "Shutting Down", else empty. The code is useless for
// this: it was 146, 159, 164 and 405 in different versions of Xcode.
func (e *Error) State() string {
	for ; e != nil; e = e.Underlying {
		for line := range strings.Lines(e.Message) {
			if _, state, ok := strings.Cut(line, "in current state: "); ok {
				return strings.TrimRight(strings.TrimSpace(state), ".")
			}
		}
	}
	return ""
}

var errorHead = lazyregexp.New(
	`^\s*(?:(An error was encountered processing the command)|Underlying error) \(domain=([^,)]+), code=(-?[0-9]+)\):?(.*)$`)

// ParseError reads simctl's stderr; nil when it is blank. Lines before the first structured line are noise of other frameworks, and the
// error of a second command is a separate error. Both are kept in Raw.
func ParseError(b []byte) *Error {
	if strings.TrimSpace(string(b)) == "" {
		return nil
	}
	top := new(Error)
	var at *Error // whose message is being read
	var raw []string
	over := false
	for line := range strings.Lines(strings.ToValidUTF8(string(b), "\uFFFD")) {
		line = strings.TrimSpace(line)
		head := errorHead.FindStringSubmatch(line)
		over = over || head != nil && head[1] != "" && at != nil
		switch {
		case over || head == nil && at == nil:
			raw = append(raw, line)
		case head == nil:
			at.add(line)
		default:
			at = below(top, at)
			at.Domain = head[2]
			at.Code, _ = strconv.Atoi(head[3]) // out of range: the nearest there is
			at.add(strings.TrimSpace(head[4]))
		}
	}
	top.Raw = strings.TrimSpace(strings.Join(raw, "\n"))
	return top
}

// below returns where the next structured error goes: the top, then each under the last.
func below(top, at *Error) *Error {
	if at == nil {
		return top
	}
	at.Underlying = new(Error)
	return at.Underlying
}

func (e *Error) add(line string) {
	if e.Message != "" && line != "" {
		e.Message += "\n"
	}
	e.Message += line
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
