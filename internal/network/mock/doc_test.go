package mock

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/network/pattern"
)

// TestMocksDocumentListsEveryKey: docs/mocks.md has every key and every value, and its examples can be loaded.
func TestMocksDocumentListsEveryKey(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/mocks.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	blocks := strings.Split(doc, "```")
	for _, line := range strings.Split(strings.TrimSpace(blocks[1]), "\n") {
		text, _, _ := strings.Cut(line, "  ")
		if _, err := pattern.Parse(text); err != nil {
			t.Error(err)
		}
	}
	rules, wrong := parse("", "mocks.md", []byte(strings.TrimPrefix(blocks[3], "yaml")))
	if len(wrong) > 0 || len(rules) != 4 {
		t.Errorf("%d rules: %v", len(rules), wrong)
	}
	for name := range fields {
		if !strings.Contains(doc, name+":") && !strings.Contains(doc, "`"+name+"`") {
			t.Errorf("the key %s is not there", name)
		}
	}
	_, values, _ := strings.Cut(doc, "## Values")
	known := map[string]bool{}
	for _, found := range regexp.MustCompile("`([a-z_]+(\\.[a-zA-Z0-9_]+)*)`").FindAllStringSubmatch(values, -1) {
		p, _ := named(found[1])
		if known[found[1]] = true; p.value == nil && fields[found[1]] == nil {
			t.Errorf("there is no value %s", found[1])
		}
	}
	for name := range singles {
		if !known[name] {
			t.Errorf("the value %s is not there", name)
		}
	}
	for prefix := range families {
		if !strings.Contains(values, "`"+prefix) {
			t.Errorf("the values %s are not there", prefix)
		}
	}
	for _, op := range pattern.Operators() {
		if !strings.Contains(doc, "`~"+op+"`") && !strings.Contains(doc, "`~"+op+" ") {
			t.Errorf("the operator ~%s is not there", op)
		}
	}
}
