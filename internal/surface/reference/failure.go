package reference

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// failure is the body of a refused request, as package rest writes it.
type failure struct {
	Detail string         `json:"detail"`
	Error  fault.Fault    `json:"error"`
	Meta   op.Meta        `json:"meta"`
	Result map[string]any `json:"result,omitempty" jsonschema:"partial result, such as the screen after an unknown outcome"`
}

// misfit is one item of the detail of an input that breaks the schema, as package rest writes it.
type misfit struct {
	Type  string   `json:"type"`
	At    []string `json:"loc"`
	Said  string   `json:"msg"`
	Given any      `json:"input" jsonschema:"the given value; null if it is missing, long or hidden"`
}

// sortedCodes are all codes by name.
func sortedCodes() []fault.Code {
	codes := fault.Codes()
	slices.Sort(codes)
	return codes
}

// codesBy are the codes by their status.
func codesBy(s *op.Statuses) map[int][]fault.Code {
	by := map[int][]fault.Code{}
	for _, code := range sortedCodes() {
		by[s.Of(code)] = append(by[s.Of(code)], code)
	}
	return by
}

// StatusTable lists the faults of each HTTP status, with their meaning.
func StatusTable(s *op.Statuses) string {
	t := table{head: []string{"status", "code", "meaning"}}
	by := codesBy(s)
	for _, status := range slices.Sorted(maps.Keys(by)) {
		for _, code := range by[status] {
			t.add(fmt.Sprint(status), string(code), meaning(code))
		}
	}
	return t.String()
}

// failureClasses are the hundreds of the statuses for refused or failed requests.
var failureClasses = []int{4, 5}

func failureName(s *op.Statuses, class int) string {
	if s == nil {
		return fmt.Sprintf("Error%dXX", class)
	}
	return fmt.Sprintf("%sError%dXX", s.Name, class)
}

// misfitName is the answer to an input that breaks the schema.
func misfitName(s *op.Statuses) string { return s.Name + "Misfit" }

// failures are the error responses of all rows: the usual ones, and the rows with their own statuses.
func failures(c *op.Catalogue) map[string]response {
	all := map[string]response{}
	addFailures(all, nil)
	for _, o := range c.Ops() {
		if s := o.Statuses; s != nil && all[misfitName(s)].Content == nil {
			addFailures(all, s)
			all[misfitName(s)] = answer("The input does not fit the schema", "application/json", misfitSchema())
		}
	}
	return all
}

func misfitSchema() *jsonschema.Schema {
	s := failureSchema([]fault.Code{fault.InvalidInput})
	list, err := jsonschema.For[[]misfit](nil)
	if err != nil {
		panic(fmt.Sprintf("reference: the shape of a misfit: %v", err))
	}
	s.Properties["detail"] = list
	return s
}

// addFailures adds one response for each class of statuses. The description lists the codes of each status.
func addFailures(all map[string]response, s *op.Statuses) {
	for _, class := range failureClasses {
		var codes []fault.Code
		var lines []string
		by := codesBy(s)
		for _, status := range slices.Sorted(maps.Keys(by)) {
			if status/100 == class {
				title := cmp.Or(http.StatusText(status), "The caller disconnected")
				lines = append(lines, fmt.Sprintf("- %d %s: %s", status, title, wordsOf(by[status])))
				codes = append(codes, by[status]...)
			}
		}
		all[failureName(s, class)] = answer(strings.Join(lines, "\n"), "application/json", failureSchema(codes))
	}
}

func wordsOf(codes []fault.Code) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = string(c)
	}
	return strings.Join(words, ", ")
}

func failureSchema(codes []fault.Code) *jsonschema.Schema {
	s, err := jsonschema.For[failure](nil)
	if err != nil {
		panic(fmt.Sprintf("reference: the shape of a failure: %v", err))
	}
	inner := s.Properties["error"].Properties
	for _, c := range codes {
		inner["code"].Enum = append(inner["code"].Enum, c)
	}
	inner["dispatched"].Enum = []any{fault.NotDispatched, fault.Dispatched, fault.MaybeDispatched}
	inner["dispatched"].Description = "whether the input reached the device; after yes or unknown, " +
		"look at the screen before you repeat the call"
	return s
}
