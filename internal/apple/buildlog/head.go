package buildlog

import (
	"strconv"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// head is the first line of a diagnostic, split into its parts.
type head struct {
	Place
	severity Severity
	tool     string
	message  string
	target   string
	project  string
}

var severities = []struct {
	word string
	is   Severity
}{{"error:", Error}, {"warning:", Warning}, {"note:", Note}, {"remark:", Note}}

// parseHead reads `place: severity: message`, `tool: severity: message` or `severity: message`. The severity counts only at the beginning
// or after ": ", so that source code and prose do not match.
func parseHead(s string) (h head, ok bool) {
	start, end := -1, 0
	for _, sev := range severities {
		for from := 0; ; {
			i := strings.Index(s[from:], sev.word)
			if i < 0 {
				break
			}
			i += from
			from = i + len(sev.word)
			is, at := sev.is, i
			if sev.is == Error && strings.HasSuffix(s[:i], "fatal ") {
				is, at = Fatal, i-len("fatal ")
			}
			if at > 0 && !strings.HasSuffix(s[:at], ": ") || from < len(s) && s[from] != ' ' {
				continue
			}
			if start < 0 || at < start {
				start, end, h.severity = at, from, is
			}
			break
		}
	}
	if start < 0 {
		return h, false
	}
	if start > 0 && !h.prefix(s[:start-2]) {
		return h, false
	}
	h.message, h.target, h.project = cutTarget(strings.TrimSpace(s[end:]))
	return h, true
}

var (
	toolName = lazyregexp.New(`^[A-Za-z][\w.+-]{0,40}$`)
	dated    = lazyregexp.New(`^\d{4}-\d\d-\d\d `)
	inTarget = lazyregexp.New(`\s*\(in target '(.*?)' from project '(.*?)'\)$`)
)

// prefix reads the text before the severity: a place, or the name of a tool.
func (h *head) prefix(s string) bool {
	if p, ok := parsePlace(s); ok {
		h.Place = p
		return true
	}
	if toolName.MatchString(s) {
		h.tool = s
		return true
	}
	return false
}

// parsePlace reads `file:line:column`, `file:line`, `file:object` or a file alone. A relative path needs a line, because any text could be
// a path; an application's log line that ends like a place does not count.
func parsePlace(s string) (Place, bool) {
	var p Place
	rest, last, ok := cutNumber(s)
	if ok {
		p.Line = last
		if r, n, ok := cutNumber(rest); ok {
			rest, p.Line, p.Column = r, n, last
		}
		if rest == "" || rest[0] == ' ' || rest[0] == '\t' || dated.MatchString(rest) || strings.Contains(rest, ": ") {
			return Place{}, false
		}
		p.File = rest
		return p, true
	}
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "../") || strings.Contains(s, ": ") {
		return Place{}, false
	}
	p.File, p.Object, _ = strings.Cut(s, ":")
	return p, true
}

// cutNumber removes ":123" from the end.
func cutNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || i == len(s)-1 || len(s)-i > 10 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil && n >= 0
}

// cutTarget removes "(in target 'A' from project 'B')" from the end.
func cutTarget(s string) (rest, target, project string) {
	if !strings.HasSuffix(s, "')") {
		return s, "", ""
	}
	m := inTarget.FindStringSubmatchIndex(s)
	if m == nil {
		return s, "", ""
	}
	return s[:m[0]], s[m[2]:m[3]], s[m[4]:m[5]]
}
