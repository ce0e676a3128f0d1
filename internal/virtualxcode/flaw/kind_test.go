package flaw_test

import (
	"regexp"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/flaw"
)

func TestEveryFaultIsDeclared(t *testing.T) {
	plain, seen := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`), map[string]bool{}
	for _, k := range flaw.Known() {
		if !plain.MatchString(k.Name) || seen[k.Name] || k.Does == "" || k.Each == "" || k.Report == "" {
			t.Errorf("%q is not fully declared, or twice", k.Name)
		}
		seen[k.Name] = true
		for _, p := range k.Params {
			if len(p.Words) == 0 && (p.Default < p.Min || p.Default > p.Max) || p.Means == "" {
				t.Errorf("%s: %s", k.Name, p.Describe())
			}
			for value, good := range map[string]bool{"": false, "x y": false, "999999999": false} {
				err := flaw.Fault{Name: k.Name, Set: map[string]string{p.Name: value}}.Check()
				if (err == nil) != good || !strings.Contains(err.Error(), p.Name) {
					t.Errorf("%s with %s=%q: %v", k.Name, p.Name, value, err)
				}
			}
		}
		if err := (flaw.Fault{Name: k.Name}).Check(); err != nil {
			t.Error(err)
		}
		if err := (flaw.Fault{Name: k.Name, Set: map[string]string{"colour": "red"}}).Check(); err == nil ||
			!strings.Contains(err.Error(), "colour") {
			t.Errorf("%s with a colour: %v", k.Name, err)
		}
	}
}
