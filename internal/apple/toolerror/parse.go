package toolerror

import (
	"slices"
	"strconv"
	"strings"

	"ios-agent/internal/apple/destinations"
	"ios-agent/internal/text/lazyregexp"
)

var (
	simctlHead = lazyregexp.New(`^\s*(An error was encountered processing the command|Underlying error) \(domain=([^,)]+), ` +
		`code=(-?\d+)\):?\s*(.*)$`)
	coreDevice  = lazyregexp.New(`^(\s*)(?:ERROR: )?(.+?)\s*\(([A-Za-z][\w.]*) error (-?\d+)(?: \(0x[0-9A-Fa-f]+\))?\.?\)$`)
	dashes      = lazyregexp.New(`^\s*-{4,}$`)
	pair        = lazyregexp.New(`^\s+([A-Za-z_][\w.]*) = (.*)$`)
	toolLine    = lazyregexp.New(`^([A-Za-z][\w.+-]{0,40}): (?:fatal )?error: (.*)$`)
	bareError   = lazyregexp.New(`^[Ee]rror: (.*)$`)
	usageLine   = lazyregexp.New(`^[Uu]sage: (\S+)(?: .*)?$`)
	seeHelp     = lazyregexp.New(`^\s+See '(\S+).*' for more information\.$`)
	foundation  = lazyregexp.New(`Error Domain=\S+ Code=-?\d+`)
	logPrefix   = lazyregexp.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+(?:[+-]\d{4})? ([^\[\]]+)\[\d+(?::\w+)?\]\s+(.*)$`)
	bundleIn    = lazyregexp.New(`(?:result bundle to|result bundle at path:|Result bundle written to path:)\s+(/.+\.xcresult)$`)
	exitStatus  = lazyregexp.New(`(?i)(?:\bexit(?:ed)?(?: with)?(?: error)? (?:code|status):? ?|\bEXIT=|exit code: )(\d{1,3})\b`)
	plainErrors = lazyregexp.New(`^(?:Invalid device(?: or device pair)?: |No devices are booted\.|Unable to (?:boot|find|locate` +
		`|lookup|erase|install|launch|terminate|resolve) |Device not found|Unrecognized subcommand: ` +
		`|You have not agreed to the Xcode license|Agreeing to the Xcode|-\w+ failed for scheme '|No such file or directory` +
		`|Unknown (?:option|argument|command|subcommand)|Missing (?:expected )?argument|Invalid (?:runtime|device type|argument` +
		`|URL)|dyld(?:\[\d+\])?: (?:Library|Symbol) not |xcode-select: )`)
	labelled = lazyregexp.New(`^\s*(Reason|Recovery [Ss]uggestion|Recovery|Failure [Rr]eason): (.*)$`)
)

// parser reads the lines one by one.
type parser struct {
	report *Report
	at     *Error // the error whose further lines are being read
	form   form
	below  bool // a line of dashes was read: the next error is the cause of this one
	any    bool // the report has its first error
	places destinations.Reader
}

type form int

const (
	loose form = iota
	simctl
	device
	tool
	arguments
)

func (p *parser) line(s string) {
	trimmed := strings.TrimSpace(s)
	if m := exitStatus.FindStringSubmatch(s); m != nil && p.report.Exit == 0 {
		p.report.Exit, _ = strconv.Atoi(m[1])
	}
	switch {
	case trimmed == "":
	case p.simctlLine(s), p.deviceLine(s), p.logLine(s), p.toolLine(s), p.argumentLine(s):
	case p.at != nil && p.form == tool && p.places.Line(s):
	case p.at != nil && p.detail(s, trimmed):
	case foundation.MatchString(s):
		p.object("", s)
	case plainErrors.MatchString(s):
		p.add(&Error{Tool: toolOf(s), Message: trimmed}, tool)
	default:
		p.noise(trimmed)
	}
}

// add appends a new error and makes it the current one.
func (p *parser) add(e *Error, f form) {
	p.form, p.below = f, false
	if !p.any {
		p.report.Error, p.any = *e, true
		p.at = &p.report.Error
		return
	}
	if len(p.report.Others) < maxErrors {
		p.report.Others = append(p.report.Others, e)
	}
	p.at = e
}

// under adds the cause of the current error.
func (p *parser) under(e *Error) {
	p.below = false
	p.at.Underlying = e
	p.at = e
}

func (p *parser) simctlLine(s string) bool {
	m := simctlHead.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	e := &Error{Tool: "simctl", Domain: m[2], Message: m[4]}
	e.Code, _ = strconv.Atoi(m[3])
	if m[1] == "Underlying error" && p.at != nil && p.form == simctl {
		p.under(e)
	} else {
		p.add(e, simctl)
	}
	return true
}

// deviceLine reads `ERROR: message (domain error 3.)`; the cause follows after a line of dashes, with or without the first word.
func (p *parser) deviceLine(s string) bool {
	if dashes.MatchString(s) {
		p.below = p.form == device && p.at != nil
		if !p.below && p.form == simctl {
			p.at = nil // another error follows
		}
		return true
	}
	first := strings.HasPrefix(s, "ERROR: ")
	if !first && (p.form != device || p.at == nil) {
		return false
	}
	m := coreDevice.FindStringSubmatch(s)
	if m == nil {
		if first {
			p.add(&Error{Tool: "devicectl", Message: strings.TrimPrefix(s, "ERROR: ")}, device)
		}
		return first
	}
	e := &Error{Tool: "devicectl", Message: strings.TrimSpace(m[2]), Domain: m[3]}
	e.Code, _ = strconv.Atoi(m[4])
	switch {
	case p.below && p.at != nil:
		p.under(e)
	case first:
		p.add(e, device)
	case p.at.Domain == "": // the line was wrapped before the domain
		p.at.Message = strings.TrimSpace(p.at.Message + " " + e.Message)
		p.at.Domain, p.at.Code = e.Domain, e.Code
	default:
		p.under(e)
	}
	return true
}

// logLine reads a line of the tool's own log, which is noise unless it contains an error object or names a result bundle.
func (p *parser) logLine(s string) bool {
	if m := bundleIn.FindStringSubmatch(s); m != nil && !slices.Contains(p.report.Bundles, m[1]) && len(p.report.Bundles) < maxLines {
		p.report.Bundles = append(p.report.Bundles, m[1])
	}
	m := logPrefix.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	if strings.HasPrefix(m[2], "Error Domain=") {
		p.object(m[1], m[2])
		return true
	}
	p.noise(s)
	return true
}

func (p *parser) toolLine(s string) bool {
	if m := toolLine.FindStringSubmatch(s); m != nil {
		p.add(&Error{Tool: m[1], Message: m[2]}, tool)
		return true
	}
	return false
}

// argumentLine reads the messages of Swift's argument parser: error, usage, and a pointer to the help.
func (p *parser) argumentLine(s string) bool {
	if m := bareError.FindStringSubmatch(s); m != nil && !strings.HasPrefix(m[1], "Domain=") {
		p.add(&Error{Message: m[1]}, arguments)
		return true
	}
	m := usageLine.FindStringSubmatch(s)
	if m == nil {
		m = seeHelp.FindStringSubmatch(s)
	}
	if m == nil {
		return false
	}
	if len(p.report.Usage) < maxLines {
		p.report.Usage = append(p.report.Usage, s)
	}
	if p.any && p.report.Tool == "" {
		p.report.Tool = m[1]
	}
	return true
}

// detail takes a further line of the current error. It reports false when the line does not belong to it.
func (p *parser) detail(s, trimmed string) bool {
	in := s[0] == ' ' || s[0] == '\t'
	if m := labelled.FindStringSubmatch(s); m != nil && (in || p.form == tool) {
		if strings.HasPrefix(m[1], "Recovery") {
			p.at.Suggestion = m[2]
		} else {
			p.at.Reason = m[2]
		}
		return true
	}
	switch {
	case p.form == simctl && p.at.Message == "":
		p.at.Message = trimmed
	case p.form == device && in:
		p.info(s, trimmed)
	case p.form == simctl, in:
		if len(p.at.Details) < maxLines {
			p.at.Details = append(p.at.Details, trimmed)
		}
	default:
		return false
	}
	return true
}

func (p *parser) info(s, trimmed string) {
	m := pair.FindStringSubmatch(s)
	switch {
	case m == nil:
		if len(p.at.Details) < maxLines {
			p.at.Details = append(p.at.Details, trimmed)
		}
	case m[1] == "NSLocalizedRecoverySuggestion":
		p.at.Suggestion = m[2]
	case m[1] == "NSLocalizedFailureReason":
		p.at.Reason = m[2]
	default:
		if p.at.Info == nil {
			p.at.Info = map[string]string{}
		}
		if len(p.at.Info) < maxLines {
			p.at.Info[m[1]] = m[2]
		}
	}
}

// object takes the description of an NSError.
func (p *parser) object(tool, s string) {
	e := parseObject(s)
	if e == nil {
		p.noise(s)
		return
	}
	e.Tool = strings.TrimSpace(tool)
	if last := p.at; last != nil && last.Domain == "" && last.Underlying == nil && strings.Contains(last.Message, e.Message) {
		last.Domain, last.Code, last.Info, last.Underlying = e.Domain, e.Code, e.Info, e.Underlying
		last.Reason, last.Suggestion = e.Reason, e.Suggestion
		return
	}
	p.add(e, loose)
}

func (p *parser) noise(s string) {
	p.at = nil
	if len(p.report.Noise) >= maxNoise {
		p.report.NoiseLeftOff++
		return
	}
	p.report.Noise = append(p.report.Noise, s)
}

// end computes the fields that need all lines. Without any known form the text itself is the message.
func (p *parser) end() {
	r := p.report
	r.Destinations = p.places.List
	if !p.any && len(r.Noise) > 0 {
		r.Message, r.Details, r.Noise = r.Noise[0], r.Noise[1:], nil
		r.Tool = toolOf(r.Message)
	}
	r.Meaning = Meaning(r.Tool, r.Exit)
}

var namedTool = lazyregexp.New(`^(xcode-select|xcrun|xcodebuild|simctl|devicectl|xcresulttool|codesign|swift|altool|notarytool): `)

// toolOf guesses the tool that printed the error.
func toolOf(s string) string {
	if m := namedTool.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if strings.HasPrefix(s, "Invalid device") || strings.HasPrefix(s, "No devices are booted") {
		return "simctl"
	}
	if strings.HasPrefix(s, "-") && strings.Contains(s, " failed for scheme '") || strings.Contains(s, "Xcode license") {
		return "xcodebuild"
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }
