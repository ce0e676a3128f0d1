package arch_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// clumsy are turns that a reader whose second language is English must read twice, with what to write instead.
var clumsy = []struct {
	turn    *regexp.Regexp
	instead string
	allowed []string // the same letters in another sense
}{
	{regexp.MustCompile(`\b(?:is|are|was|were|be) no(?:ne)?\b(?: \w+)?`),
		"say what it is, not what it is not", []string{"no longer", "no more"}},
	{regexp.MustCompile(`(?:^|[.:;] |\n\n)(?:Who|What|Whoever|Whatever|Those|That which)\b[^.?!]*(?:[.!]|$)`),
		"begin with a noun: the client, the value, the file", nil},
	{regexp.MustCompile(`(?i)\bwho(?:ever)? (?:has|names|takes|asks|is|does|wants|reads|says|knows|cannot|uses)\b`),
		"name who it is", []string{
			"user who ", "person who ", "people who ", "somebody who ", "engineer who ", "someone who ",
			"knows who is", "says who is", "asks who is"}},
	{regexp.MustCompile(`(?i)\bthose (?:that|who|of|which|with|it|there)\b`), "name the things", nil},
	{regexp.MustCompile(`(?i)\b(?:ones?|none) (?:that|who|of which|is|are)\b`), "name the thing", []string{"one is"}},
	{regexp.MustCompile(`(?i)\bwhat (?:is|was|has|had|comes|came|stands?|goes|went|stays|lies) [^.?]*\b(?:is|are|was|stays|has|gets)\b`),
		"name the thing", nil},
	{regexp.MustCompile(`(?i)\b(?:nothing|nobody) (?:is|was|has|knows|may|reads|told|else may|here)\b`), "say what is, not what is not", nil},
	{regexp.MustCompile(`\b(?:is|are|was|were|be) told\b|\btold of\b|\btells of\b`), "the answer says, the caller gets, the log has", nil},
	{regexp.MustCompile(`\bat most so\b|\bso (?:many|long ago)\b`), "maximum number of …, with its unit", nil},
	{regexp.MustCompile(`\b(?:of|than|by|to|in|with|from) (?:ours|theirs|hers)\b(?:[.,;:)]|$)|\b(?:ours|theirs) (?:is|are|has|have)\b`),
		"name whose", nil},
	{regexp.MustCompile(`\banew\b`), "again, new", nil},
	{regexp.MustCompile(`\b(?:is|are|was|were) not (?:read|known|taken|kept|told|asked|meant|looked at)\b`),
		"cannot read, ignored, skipped, not stored", nil},
}

// clumsyNames are the same in the names of tests.
var clumsyNames = regexp.MustCompile(`(?:Is|Are|Was|Of|By|For)No(?:ne|body)?[A-Z]|Who(?:ever)?[A-Z]|` +
	`Nobody|That(?:Is|Are|Has)No(?:ne|body)?[A-Z]|Anew|Those|^TestWhat(?:Is|Was|Has)|Told\b`)

// notOurs are texts of other programs, which Virtual Xcode prints as they do.
var notOurs = []string{
	"Failed to read step file '%s': The file “%s” couldn’t be opened because there is no such file.",
	"Failed to read file '%s': The file “%s” couldn’t be opened because there is no such file.",
	"There is no previous item for '%v' action item", "There are no test bundles available to test in '%s'.",
}

// TestWordsArePlain holds everything that people and models read to turns that are understood at first reading.
func TestWordsArePlain(t *testing.T) {
	for _, p := range slices.Concat(plainGo(t), plainDocs(t)) {
		for _, found := range findClumsy(p.text) {
			t.Errorf("%s: %q: %s", p.where, found.turn, found.instead)
		}
	}
}

// TestNamesOfTestsArePlain holds the names of tests to behaviour and condition.
func TestNamesOfTestsArePlain(t *testing.T) {
	eachGoFile(t, func(path string, set *token.FileSet, f *ast.File) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, d := range f.Decls {
			if fn, is := d.(*ast.FuncDecl); is && strings.HasPrefix(fn.Name.Name, "Test") && clumsyNames.MatchString(fn.Name.Name) {
				t.Errorf("%s: %s: say the behaviour and the condition", set.Position(fn.Pos()), fn.Name.Name)
			}
		}
	})
}

func TestFindClumsyReportsClumsyPhrases(t *testing.T) {
	for _, text := range []string{
		"Who asks takes longer to think", "one that is no loopback", "of those that were held", "nothing is told of process 3",
		"at most so many", "What was done last is kept", "the file is not read", "It is made anew.",
	} {
		if len(findClumsy(text)) == 0 {
			t.Errorf("findClumsy(%q) found nothing", text)
		}
	}
	for _, text := range []string{
		"the daemon is no longer there", "What is the goal?", "The daemon keeps the last 500 steps", "maximum number of results (default 40)",
	} {
		if found := findClumsy(text); len(found) > 0 {
			t.Errorf("findClumsy(%q) = %v, want nothing", text, found)
		}
	}
}

type clumsyTurn struct{ turn, instead string }

func findClumsy(text string) (found []clumsyTurn) {
	for _, c := range clumsy {
		for _, at := range c.turn.FindAllStringIndex(text, -1) {
			around := text[max(0, at[0]-12):min(len(text), at[1]+8)]
			if !slices.ContainsFunc(c.allowed, func(a string) bool { return strings.Contains(around, a) }) {
				found = append(found, clumsyTurn{text[at[0]:at[1]], c.instead})
			}
		}
	}
	return found
}

type passage struct{ where, text string }

// plainGo are the comments and the sentences of the program: literals with a space in them, and tags.
func plainGo(t *testing.T) (all []passage) {
	eachGoFile(t, func(path string, set *token.FileSet, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/") {
			return
		}
		for _, c := range f.Comments {
			all = append(all, passage{set.Position(c.Pos()).String(), strings.ReplaceAll(strings.TrimSpace(c.Text()), "\n", " ")})
		}
		ast.Inspect(f, func(n ast.Node) bool {
			literal, is := n.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(text, " ") && !slices.Contains(notOurs, text) {
				all = append(all, passage{set.Position(literal.Pos()).String(), text})
			}
			return true
		})
	})
	return all
}

// plainDocs are the paragraphs of our documents, without their examples.
func plainDocs(t *testing.T) (all []passage) {
	t.Helper()
	for _, path := range documents(t) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := 1
		for i, part := range strings.Split(string(raw), "```") {
			for _, paragraph := range strings.Split(part, "\n\n") {
				if i%2 == 0 {
					all = append(all, passage{path + ":" + strconv.Itoa(line), strings.ReplaceAll(paragraph, "\n", " ")})
				}
				line += strings.Count(paragraph, "\n") + 2
			}
			line -= 2
		}
	}
	return all
}

// eachGoFile reads every Go file of the tree in order, from the one parse that all tests share.
func eachGoFile(t *testing.T, read func(path string, set *token.FileSet, f *ast.File)) {
	t.Helper()
	all := packages(t)
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(strings.Split(dir, "/"), "testdata") {
			continue
		}
		for i, f := range all[dir].files {
			read(all[dir].names[i], fset, f)
		}
	}
}
