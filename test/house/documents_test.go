package house_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestTextThatBeginsAsJSONIsJSON calls every operation that only looks, and those whose answer has several formats in each of them: a
// program that reads a document from the standard output finds nothing else there.
func TestTextThatBeginsAsJSONIsJSON(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	files, documents := h.Files(), 0
	for _, o := range h.Product.Catalogue.Ops() {
		formats := formatsOf(o)
		if o.Streams() || !o.Hints.Has(op.ReadOnly) && len(formats) == 0 {
			continue
		}
		id := h.Product.Catalogue.ID(o)
		for _, format := range append(formats, "") {
			input := files.Example(o, id)
			if format != "" {
				input["format"] = format
			}
			e := h.Call("a", id, input)
			if text := strings.TrimSpace(e.Stdout); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
				documents++
				if !json.Valid([]byte(text)) || !e.Document {
					t.Errorf("%s %v: document is %v: %.200s", id, input, e.Document, text)
				}
			}
		}
	}
	if documents < 20 {
		t.Errorf("%d documents, want those of quern's rows at least", documents)
	}
}

// formatsOf are the formats that an operation's answer can have.
func formatsOf(o op.Op) []string {
	i := slices.IndexFunc(o.Fields(), func(f op.Field) bool { return f.Name == "format" })
	if i < 0 {
		return nil
	}
	return slices.Clone(o.Fields()[i].Enum)
}
