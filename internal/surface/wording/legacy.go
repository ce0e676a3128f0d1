package wording

import (
	"encoding/json"
	"slices"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

// spans are what may be a mention: between backticks, or a call as XcodeBuildMCP writes it. A quotation is found too, and left alone.
var spans = lazyregexp.New("`[^`\n]*`" + `|"(?:\\.|[^"\\\n])*"|[a-z][a-z0-9_]+\(\{(?:"(?:\\.|[^"\\])*"|[^"{}])*\}\)`)

// text replaces the mentions in a text. What a call named may hold anything; a mention is shown on a terminal.
func (v Voice) legacy(text string, kept map[string]any) string {
	return spans.ReplaceAllStringFunc(text, func(span string) string {
		switch span[0] {
		case '"':
			return span
		case '`':
			return v.span(span[1:len(span)-1], kept)
		}
		if m, ok := parseCall(v.catalogue, span); ok {
			return v.call(withKept(m, kept))
		}
		return span
	})
}

// span is what stood between backticks.
func (v Voice) span(span string, kept map[string]any) string {
	if flag, is := strings.CutPrefix(span, "--"); is && !strings.ContainsAny(flag, " =") {
		return v.input(flag)
	}
	command, is := strings.CutPrefix(span, "ios-agent ")
	if !is {
		return "`" + span + "`"
	}
	m, ok := parseCommand(v.verbs(), command)
	if !ok {
		return v.user(span)
	}
	return v.call(withKept(m, kept))
}

// advice replaces mentions in the lines of an answer that tell what to do; all others are what was asked for.
func (v Voice) advice(text string, kept map[string]any) string {
	if !strings.ContainsAny(text, "`(") {
		return text
	}
	lines := strings.Split(text, "\n")
	steps := false
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		steps = trimmed == NextSteps || steps && strings.HasPrefix(line, "  ")
		if steps || slices.ContainsFunc(advices, func(begin string) bool { return strings.HasPrefix(trimmed, begin) }) {
			lines[i] = v.legacy(line, kept)
		}
	}
	return strings.Join(lines, "\n")
}

// advices are how lines begin that tell what to do; an ellipsis is followed by the way to what is left out, an arrow by a step of a guide.
var advices = []string{"hint: ", "note: ", "… ", Step}

// told are the fields of results that tell what to do, and where they stand: in the result itself, or in the parts of one of its lists.
var told = []struct{ list, field string }{{"", "nextSteps"}, {"", "hint"}, {"ways", "instructions"}, {"steps", "instructions"}}

// result replaces mentions in the fields of a result that tell what to do.
func (v Voice) legacyResult(raw json.RawMessage, kept map[string]any) json.RawMessage {
	for _, at := range told {
		if !strings.Contains(string(raw), `"`+at.field+`"`) {
			continue
		}
		if at.list == "" {
			raw = changed(raw, at.field, func(said json.RawMessage) json.RawMessage { return v.said(said, kept) })
			continue
		}
		raw = changed(raw, at.list, func(list json.RawMessage) json.RawMessage {
			var parts []json.RawMessage
			if json.Unmarshal(list, &parts) != nil {
				return list
			}
			for i := range parts {
				parts[i] = changed(parts[i], at.field, func(said json.RawMessage) json.RawMessage { return v.said(said, kept) })
			}
			return encoded(parts, list)
		})
	}
	return raw
}

// changed is an object with one field changed; what is no object, or lacks the field, stays as it is.
func changed(raw json.RawMessage, field string, change func(json.RawMessage) json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields[field] == nil {
		return raw
	}
	fields[field] = change(fields[field])
	return encoded(fields, raw)
}

// said is a text, or a list of texts, in the words of the surface.
func (v Voice) said(raw json.RawMessage, kept map[string]any) json.RawMessage {
	var list []string
	var one string
	switch {
	case json.Unmarshal(raw, &list) == nil:
		for i := range list {
			list[i] = v.legacy(list[i], kept)
		}
		return encoded(list, raw)
	case json.Unmarshal(raw, &one) == nil:
		return encoded(v.legacy(one, kept), raw)
	}
	return raw
}
