package uiread_test

import (
	"runtime"
	"strings"
	"testing"

	"ios-agent/internal/ui/uiread"
)

// TestJSONLiteralsAreReadInLinearMemory: a tree has a true, a false or a null in every element; none of them may cost as much as all that
// follows.
func TestJSONLiteralsAreReadInLinearMemory(t *testing.T) {
	const element = `{"type":"Button","AXLabel":"Add","enabled":true,"pid":null,"frame":{"x":0,"y":0,"width":9,"height":9},"children":[]}`
	doc := []byte("[" + strings.Repeat(element+",", 3999) + element + "]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := uiread.Read(doc); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(50*len(doc)); got > most {
		t.Errorf("a tree of %d bytes took %d bytes to read, want at most %d", len(doc), got, most)
	}
}
