package devicectl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

// Text is devicectl's text for people: a table of devices, or the steps and the result of a command.
type Text struct {
	Columns []string            `json:"columns,omitempty"`
	Rows    []map[string]string `json:"rows,omitempty"`
	Steps   []string            `json:"steps,omitempty"`  // with their time
	Fields  map[string]string   `json:"fields,omitempty"` // "• bundleID: com.example"
	Launch  string              `json:"launched,omitempty"`
	Lines   []string            `json:"lines,omitempty"` // the rest
}

var (
	headerLine = lazyregexp.New(`^Name\s{2,}(?:Hostname|Identifier)\b.*\bState\b`)
	rule       = lazyregexp.New(`^-+(?:\s+-+)+\s*$`)
	gap        = lazyregexp.New(`\s{2,}`)
	stepLine   = lazyregexp.New(`^\d\d:\d\d:\d\d\s{2}\S`)
	fieldLine  = lazyregexp.New(`^\s*[•▿]\s*(\w[\w ]*): (.*)$`)
	launchLine = lazyregexp.New(`^Launched application with (\S+) bundle identifier\.$`)
)

// readText reads it; nil if no line is devicectl's.
func readText(b []byte) *Text {
	t := &Text{}
	var starts []int
	for _, line := range lines.All(b) {
		switch {
		case strings.TrimSpace(line) == "":
			if t.Columns != nil && t.Rows != nil {
				starts = nil
			}
		case headerLine.MatchString(line) && t.Columns == nil:
			t.Columns = gap.Split(strings.TrimSpace(line), -1)
		case t.Columns != nil && starts == nil && rule.MatchString(line):
			starts = columnStarts(line)
		case starts != nil:
			t.Rows = append(t.Rows, row(t.Columns, starts, line))
		case stepLine.MatchString(line):
			t.Steps = append(t.Steps, line)
		case launchLine.MatchString(line):
			t.Launch = launchLine.FindStringSubmatch(line)[1]
		case fieldLine.MatchString(line):
			m := fieldLine.FindStringSubmatch(line)
			if t.Fields == nil {
				t.Fields = map[string]string{}
			}
			t.Fields[m[1]] = m[2]
		default:
			t.Lines = append(t.Lines, strings.TrimSpace(line))
		}
	}
	if t.Columns == nil && t.Launch == "" && (len(t.Steps) == 0 || t.Fields == nil && !knownStep(t.Steps)) {
		return nil
	}
	return t
}

// knownStep distinguishes devicectl's steps from other log lines with a time.
func knownStep(steps []string) bool {
	for _, s := range steps {
		for _, say := range []string{"tunnel connection", "usage assertion", "developer disk image"} {
			if strings.Contains(s, say) {
				return true
			}
		}
	}
	return false
}

func columnStarts(rule string) []int {
	var at []int
	for i, c := range []rune(rule) {
		if c == '-' && (i == 0 || rule[i-1] == ' ') {
			at = append(at, i)
		}
	}
	return at
}

// row cuts a line at double blanks or, if a cell is empty, at the columns.
func row(columns []string, starts []int, line string) map[string]string {
	cells := gap.Split(strings.TrimSpace(line), -1)
	if len(cells) != len(columns) {
		cells = cells[:0]
		text := []rune(line)
		for i, from := range starts {
			to := len(text)
			if i+1 < len(starts) {
				to = min(starts[i+1], len(text))
			}
			cells = append(cells, strings.TrimSpace(string(text[min(from, to):to])))
		}
	}
	out := map[string]string{}
	for i, c := range columns {
		if i < len(cells) {
			out[c] = cells[i]
		}
	}
	return out
}

// Text is the answer in at most limit bytes.
func (o *Output) Text(limit int) string {
	w := brief.New(limit)
	if o.Printed != nil {
		o.Printed.write(w)
		return w.String()
	}
	if head := brief.Join(": ", brief.Join(" ", o.Info.Command, o.Info.Version), o.Info.Outcome); head != "" {
		w.Line(head)
	}
	for e, depth := o.Error, 0; e != nil && depth < 20; e, depth = e.Underlying(), depth+1 {
		w.Line(strings.Repeat("  ", depth) + "error: " + e.Message() + fmt.Sprintf(" (%s %d)", e.Domain, e.Code))
		for _, k := range []string{"NSLocalizedFailureReason", "NSLocalizedRecoverySuggestion"} {
			if s := e.UserInfo[k].String; s != "" {
				w.Line(strings.Repeat("  ", depth) + "  " + s)
			}
		}
	}
	if o.Result != nil {
		o.Result.write(w)
	}
	return w.String()
}

func (t *Text) write(w *brief.Writer) {
	if t.Columns != nil {
		w.Line(brief.Count(len(t.Rows), "device"))
	}
	w.List("devices", len(t.Rows), func(i int) []string {
		var cells []string
		for _, c := range t.Columns {
			cells = append(cells, t.Rows[i][c])
		}
		return []string{brief.Join(", ", cells...)}
	})
	if t.Launch != "" {
		w.Line("launched " + t.Launch)
	}
	for _, k := range slices.Sorted(maps.Keys(t.Fields)) {
		w.Line(k + ": " + t.Fields[k])
	}
	for _, s := range t.Steps {
		w.Line(s)
	}
	for _, s := range t.Lines {
		w.Line(s)
	}
}

func (r *Result) write(w *brief.Writer) {
	if r.DeviceID != "" {
		w.Line("device " + r.DeviceID)
	}
	if r.Details != nil {
		w.Line(r.Details.String())
	}
	if r.Devices != nil || r.Extra["devices"] != nil {
		w.Line(brief.Count(len(r.Devices), "device"))
	}
	w.List("devices", len(r.Devices), func(i int) []string { return []string{r.Devices[i].String()} })
	w.List("apps", len(r.Apps), func(i int) []string {
		a := r.Apps[i]
		return []string{brief.Join(" ", a.BundleID, a.Version, "("+a.Build+")", a.Name, a.URL)}
	})
	w.List("processes", len(r.Processes), func(i int) []string {
		return []string{brief.Join(" ", fmt.Sprint(r.Processes[i].PID), r.Processes[i].Executable)}
	})
	if r.Process != nil {
		w.Linef("process %d %s", r.Process.PID, r.Process.Executable)
	}
	for _, a := range r.Installed {
		w.Line("installed " + brief.Join(" ", a.BundleID, a.URL))
	}
	for _, a := range r.Uninstalled {
		w.Line("uninstalled " + a.BundleID)
	}
}

// String has the facts needed to choose a device.
func (d Device) String() string {
	d = d.Known()
	model := d.Hardware.Marketing
	if d.Hardware.ProductType != "" {
		model = brief.Join(" ", model, "("+d.Hardware.ProductType+")")
	}
	tunnel := d.Connection.Tunnel
	if tunnel != "" {
		tunnel = "tunnel " + tunnel
	}
	return brief.Join(", ", d.Properties.Name, model, brief.Join(" ", d.Hardware.Platform, d.Properties.OS), d.Connection.Pairing,
		d.Connection.Transport, tunnel, d.ID, d.Hardware.UDID)
}
