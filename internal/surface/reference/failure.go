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
	Result map[string]any `json:"result,omitempty" jsonschema:"what is known all the same, such as the screen after an unknown outcome"`
}

// sortedCodes are all codes by name.
func sortedCodes() []fault.Code {
	codes := fault.Codes()
	slices.Sort(codes)
	return codes
}

func codesByStatus() map[int][]fault.Code {
	by := map[int][]fault.Code{}
	for _, code := range sortedCodes() {
		by[code.Status()] = append(by[code.Status()], code)
	}
	return by
}

// failureClasses are the hundreds of the statuses that a refused or failed request is answered with.
var failureClasses = []int{4, 5}

func failureName(class int) string { return fmt.Sprintf("Error%dXX", class) }

// failures are the error responses, one a class of statuses. The description has the codes of each status.
func failures() map[string]response {
	all := map[string]response{}
	for _, class := range failureClasses {
		var codes []fault.Code
		var lines []string
		by := codesByStatus()
		for _, status := range slices.Sorted(maps.Keys(by)) {
			if status/100 == class {
				title := cmp.Or(http.StatusText(status), "The caller left")
				lines = append(lines, fmt.Sprintf("- %d %s: %s", status, title, wordsOf(by[status])))
				codes = append(codes, by[status]...)
			}
		}
		all[failureName(class)] = answer(strings.Join(lines, "\n"), "application/json", failureSchema(codes))
	}
	return all
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
	inner["dispatched"].Description = "whether the input reached the device; look before you repeat anything but no"
	return s
}
