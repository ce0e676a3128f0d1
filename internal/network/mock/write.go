package mock

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/docfile"
	"ios-agent/internal/network/flow"
)

// YAML writes rules as a file that Load reads as the same rules. Rules that would not fit into a file, or would not come back the same, are
// an error; Files puts their bodies into files of their own.
func YAML(rules []Rule) ([]byte, error) {
	var b strings.Builder
	b.WriteString(root + ":\n")
	var same []Rule
	for _, r := range rules {
		r = Normal(r)
		b.WriteString(written(r))
		same = append(same, r)
	}
	if len(rules) == 0 {
		return []byte(root + ": []\n"), nil
	}
	if b.Len() > docfile.MostYAML {
		return nil, fault.New(fault.TooLarge, "%d mocks are %d bytes of YAML; a file has at most %d", len(rules), b.Len(), docfile.MostYAML).
			WithHint("Write them into several files.")
	}
	again, wrong := parseAs(b.String(), same)
	if len(wrong) > 0 {
		return nil, fault.New(fault.InvalidInput, "the mocks cannot be written as YAML: %s", wrong[0].Message)
	}
	if !reflect.DeepEqual(again, same) {
		return nil, fault.New(fault.InvalidInput, "the mocks cannot be written as YAML: they would not be the same when they are read")
	}
	return []byte(b.String()), nil
}

// parseAs reads what was written, as if the body files were there.
func parseAs(text string, as []Rule) ([]Rule, []Problem) {
	doc, err := docfile.YAML(text)
	var top docfile.Part
	if err == nil {
		top, err = doc.Parts()
	}
	if err != nil {
		return nil, []Problem{problem("", err)}
	}
	var rules []Rule
	for i, item := range top.Keys[0].Value.List {
		r, wrong := readRule(item, as[min(i, len(as)-1)].Response.Folder)
		if err := Check(r); err != nil {
			wrong = append(wrong, err)
		}
		if len(wrong) > 0 {
			return nil, []Problem{problem("", wrong[0])}
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// written is one rule as an item of the list.
func written(r Rule) string {
	var b strings.Builder
	a, lead := r.Response, "  - "
	add := func(key, value string) {
		b.WriteString(lead + key + ": " + value + "\n")
		lead = "    "
	}
	add("match", quoted(r.Pattern))
	if r.ID != "" {
		add("id", r.ID)
	}
	if a.Status != 0 {
		add("status", strconv.Itoa(a.Status))
	}
	if r.Times != 0 {
		add("times", strconv.Itoa(r.Times))
	}
	if a.Delay != 0 {
		add("delay", a.Delay.String())
	}
	if a.Fault != "" {
		add("fault", quoted(string(a.Fault)))
	}
	if len(a.Header) > 0 {
		b.WriteString("    headers:\n" + writtenHeader(a.Header))
	}
	switch {
	case a.Body != "":
		add("body", block(a.Body))
	case len(a.JSON) > 0:
		add("json", flowStyle(a.JSON))
	case len(a.Bytes) > 0:
		add("body_base64", base64.StdEncoding.EncodeToString(a.Bytes))
	case a.BodyFile != "":
		add("body_file", quoted(a.BodyFile))
	}
	return b.String()
}

// writtenHeader is a mapping, or a list where lines of one name do not stand together.
func writtenHeader(h flow.Header) string {
	var b strings.Builder
	values := map[string][]string{}
	var names []string
	together := true
	for i, f := range h {
		if _, had := values[f.Name]; !had {
			names = append(names, f.Name)
		} else if h[i-1].Name != f.Name {
			together = false
		}
		values[f.Name] = append(values[f.Name], quoted(f.Value))
	}
	if !together {
		for _, f := range h {
			fmt.Fprintf(&b, "      - %s: %s\n", quoted(f.Name), quoted(f.Value))
		}
		return b.String()
	}
	for _, name := range names {
		value := values[name][0]
		if len(values[name]) > 1 {
			value = "[" + strings.Join(values[name], ", ") + "]"
		}
		fmt.Fprintf(&b, "      %s: %s\n", quoted(name), value)
	}
	return b.String()
}

// quoted is a text that no reader of YAML takes for anything else: bare if it is a simple word, else in quotes as JSON has them.
func quoted(text string) string {
	simple := text != "" && unicode.IsLetter(rune(text[0])) && text[0] < utf8.RuneSelf
	for _, r := range text {
		simple = simple && (r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_/.", r))
	}
	if simple && !slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}, strings.ToLower(text)) {
		return text
	}
	return string(encodeJSON(text))
}

// block writes a text of several lines as such, if every reader of YAML gives it back.
func block(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	plain := len(lines) > 1 && !strings.HasSuffix(text, "\n\n")
	for i, line := range lines {
		plain = plain && !strings.HasSuffix(line, " ") && (i > 0 || line != "" && line[0] != ' ')
		for _, r := range line {
			plain = plain && unicode.IsPrint(r) && r != '\ufeff' && r != utf8.RuneError
		}
	}
	if !plain {
		return quoted(text)
	}
	mark := "|-"
	if strings.HasSuffix(text, "\n") {
		mark = "|"
	}
	var b strings.Builder
	b.WriteString(mark)
	for _, line := range lines {
		b.WriteString("\n")
		if line != "" {
			b.WriteString("      " + line)
		}
	}
	return b.String()
}

// flowStyle is JSON with a space after each comma and colon, which YAML wants.
func flowStyle(raw []byte) string {
	tree, err := decodeJSON(raw)
	if err != nil {
		return "null" // Check has said it
	}
	var b bytes.Buffer
	writeFlow(&b, tree)
	return b.String()
}

func writeFlow(b *bytes.Buffer, tree any) {
	switch v := tree.(type) {
	case map[string]any:
		b.WriteString("{")
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.Write(encodeJSON(k))
			b.WriteString(": ")
			writeFlow(b, v[k])
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, v[i])
		}
		b.WriteString("]")
	case json.Number:
		b.WriteString(v.String())
	default:
		b.Write(encodeJSON(v))
	}
}
