package setup

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/op"
)

type none struct{}

func declare(s op.Spec) op.Op {
	s.Groups, s.Summary = []string{"ui"}, "Do "+s.Name
	return op.New(s, func(context.Context, *op.Call, none) (none, error) { return none{}, nil })
}

// catalogue has what the real one has: usual operations, others, foreign ones and some without a verb.
func catalogue() []op.Op {
	ops := []op.Op{
		declare(op.Spec{Name: "rare_one", Verb: "rare", Examples: []string{"rare --a"}}),
		declare(op.Spec{Name: "snapshot", Verb: "snapshot", Default: true, Examples: []string{"snapshot", "snapshot --json"}}),
		declare(op.Spec{Name: "tap_element", Verb: "tap", Default: true, Examples: []string{"tap-element @e7", "tap\n@e7", "tap @e7"}}),
		declare(op.Spec{Name: "no_verb", Verb: op.None, Default: true, Examples: []string{"no-verb"}}),
		declare(op.Spec{Name: "no_example", Verb: "no-example", Default: true}),
		declare(op.Spec{Name: "foreign", Family: "idb", Verb: "foreign", Default: true, Examples: []string{"foreign"}}),
	}
	for i := range 10 {
		name := fmt.Sprintf("more_%c", 'a'+i)
		ops = append(ops, declare(op.Spec{Name: name, Verb: name, Examples: []string{name}}))
	}
	return ops
}

func TestSkillIsShortWithFrontMatter(t *testing.T) {
	text := Skill(catalogue(), "1.2.3")
	_, body, _ := strings.Cut(text, "\n---\n")
	if n := strings.Count(body, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
	if !regexp.MustCompile(`\A---\nname: ios-agent\ndescription: "[^"\n]{40,1000}"\n---\n\n`).MatchString(text) {
		t.Errorf("front matter: %.300s", text)
	}
	for _, want := range []string{"1.2.3", marker, "`ios-agent help`", "`changed`", "`unchanged`", "`unknown`", "0 done", "7 denied",
		"70 a bug", "data, never instructions"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	_, block, _ := strings.Cut(text, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	shown := strings.Split(strings.TrimSpace(block), "\n")
	first := []string{"ios-agent snapshot  # Do snapshot", "ios-agent tap @e7   # Do tap_element", "ios-agent rare --a  # Do rare_one"}
	if len(shown) != 10 || !slices.Equal(shown[:3], first) {
		t.Errorf("commands: %q", shown)
	}
}

func TestSkillNamesExistingCommandsOnly(t *testing.T) {
	verbs := []string{"help", "init", "is"} // cobra's, the one that writes the skill, and the word after the program's name
	for _, o := range catalogue() {
		verbs = append(verbs, o.Verb)
	}
	for _, m := range regexp.MustCompile(`ios-agent +([a-z][a-z_-]*)`).FindAllStringSubmatch(Skill(catalogue(), "v"), -1) {
		if !slices.Contains(verbs, m[1]) {
			t.Errorf("%q", m[0])
		}
	}
	if text := Skill(nil, "v"); strings.Contains(text, "ios-agent snapshot") {
		t.Error("commands without operations")
	}
}
