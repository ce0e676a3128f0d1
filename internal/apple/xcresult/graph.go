package xcresult

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Graph is an object of `xcresulttool get --format json`, in which every value is wrapped in its type. The issues, the actions and the
// tests are typed; Document holds everything.
type Graph struct {
	Type     string          `json:"type,omitempty"`
	Metrics  map[string]int  `json:"metrics,omitempty"`
	Actions  []Action        `json:"actions,omitempty"`
	Issues   []GraphIssue    `json:"issues,omitempty"`
	Tests    []GraphTest     `json:"tests,omitempty"`
	Refs     []string        `json:"references,omitempty"` // ids of further objects
	Document json.RawMessage `json:"document,omitempty"`
}

// Action is one build or test run.
type Action struct {
	Title       string `json:"title,omitempty"`
	Command     string `json:"command,omitempty"`
	BuildStatus string `json:"buildStatus,omitempty"`
	Status      string `json:"status,omitempty"`
	Device      string `json:"device,omitempty"`
	DeviceID    string `json:"deviceId,omitempty"`
	OS          string `json:"os,omitempty"`
	Started     string `json:"started,omitempty"`
	Ended       string `json:"ended,omitempty"`
}

// GraphIssue is one error, warning or failed test.
type GraphIssue struct {
	Kind    string `json:"kind"` // error, warning, test failure, analyzer warning
	Type    string `json:"type,omitempty"`
	Message string `json:"message,omitempty"`
	Test    string `json:"test,omitempty"`
	Target  string `json:"target,omitempty"`
	Source  string `json:"source,omitempty"`
	Location
}

// GraphTest is one test.
type GraphTest struct {
	Name       string   `json:"name,omitempty"`
	Identifier string   `json:"identifier,omitempty"`
	Status     string   `json:"status,omitempty"`
	Seconds    float64  `json:"seconds,omitempty"`
	Iteration  int      `json:"iteration,omitempty"`
	Failures   []string `json:"failures,omitempty"`
}

// UnmarshalJSON reads the graph.
func (g *Graph) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var top map[string]any
	if err := dec.Decode(&top); err != nil {
		return err
	}
	if top == nil {
		return errors.New("not an object")
	}
	g.Document = slices.Clone(b)
	g.fill(top)
	return nil
}

func (g *Graph) fill(top map[string]any) {
	g.Type = typeOf(top)
	if m, ok := top["metrics"].(map[string]any); ok {
		g.Metrics = map[string]int{}
		for k := range m {
			if n, err := strconv.Atoi(text(m, k)); err == nil {
				g.Metrics[k] = n
			}
		}
	}
	g.walk("", top)
}

// kinds are the lists of issues. Some occur only below an action.
var kinds = map[string]string{
	"errorSummaries": "error", "warningSummaries": "warning", "testFailureSummaries": "test failure",
	"analyzerWarningSummaries": "analyzer warning", "testWarningSummaries": "warning",
}

func (g *Graph) walk(key string, v any) {
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	switch typeOf(o) {
	case "ActionRecord":
		g.action(o)
	case "ActionTestMetadata", "ActionTestSummary":
		g.test(o)
	case "Reference":
		if id := text(o, "id"); id != "" && !slices.Contains(g.Refs, id) {
			g.Refs = append(g.Refs, id)
		}
	}
	if kind := kinds[key]; kind != "" {
		for _, i := range values(o) {
			g.issue(kind, i)
		}
	}
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		g.walk(k, o[k])
	}
	for _, i := range values(o) {
		g.walk("", i)
	}
}

func (g *Graph) issue(kind string, v any) {
	o, _ := v.(map[string]any)
	i := GraphIssue{Kind: kind, Type: text(o, "issueType"), Message: text(o, "message"), Test: text(o, "testCaseName"),
		Target: text(o, "producingTarget")}
	if at, ok := o["documentLocationInCreatingWorkspace"].(map[string]any); ok {
		i.Source = text(at, "url")
		i.Location = ParseLocation(i.Source)
	}
	if !slices.Contains(g.Issues, i) {
		g.Issues = append(g.Issues, i)
	}
}

func (g *Graph) action(o map[string]any) {
	a := Action{Title: text(o, "title"), Command: text(o, "schemeCommandName"), Started: text(o, "startedTime"), Ended: text(o, "endedTime")}
	a.Status = text(child(o, "actionResult"), "status")
	a.BuildStatus = text(child(o, "buildResult"), "status")
	device := child(child(o, "runDestination"), "targetDeviceRecord")
	a.Device, a.DeviceID, a.OS = text(device, "name"), text(device, "identifier"), text(device, "operatingSystemVersion")
	g.Actions = append(g.Actions, a)
}

func (g *Graph) test(o map[string]any) {
	t := GraphTest{Name: text(o, "name"), Identifier: text(o, "identifier"), Status: text(o, "testStatus")}
	t.Seconds, _ = strconv.ParseFloat(text(o, "duration"), 64)
	t.Iteration, _ = strconv.Atoi(text(child(o, "repetitionPolicySummary"), "iteration"))
	for _, f := range values(child(o, "failureSummaries")) {
		m, _ := f.(map[string]any)
		s := text(m, "message")
		if file := text(m, "fileName"); file != "" {
			s = file + ":" + text(m, "lineNumber") + ": " + s
		}
		t.Failures = append(t.Failures, s)
	}
	g.Tests = append(g.Tests, t)
}

func typeOf(o map[string]any) string {
	t, _ := o["_type"].(map[string]any)
	s, _ := t["_name"].(string)
	return s
}

func child(o map[string]any, key string) map[string]any {
	c, _ := o[key].(map[string]any)
	return c
}

func values(o map[string]any) []any {
	v, _ := o["_values"].([]any)
	return v
}

// text is the text of a value, wrapped or not.
func text(o map[string]any, key string) string {
	v := o[key]
	if w, ok := v.(map[string]any); ok {
		v = w["_value"]
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}
