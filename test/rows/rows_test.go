package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestEveryRowNamesExistingTests: each test that a row names is there, and a departure is told by the document that the row names. `make
// test` runs those tests, so that a row whose tests are there works; `make rows` runs them alone, and prints the table.
func TestEveryRowNamesExistingTests(t *testing.T) {
	tests := map[string]map[string]bool{}
	for _, s := range seeds() {
		facts := map[string]bool{}
		for _, r := range s.rows {
			if facts[r.fact] {
				t.Errorf("%s: two rows say %q", s.id, r.fact)
			}
			facts[r.fact] = true
			if ways := btoi(len(r.proofs) > 0 && r.awaits == "") + btoi(r.departs != "") + btoi(r.awaits != ""); ways != 1 {
				t.Errorf("%s: %q: got %d of proofs, departure and what it awaits, want one", s.id, r.fact, ways)
			}
			r.isTold(t)
			for _, p := range r.proofs {
				if r.awaits == "" {
					isThere(t, tests, p)
				}
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isTold looks for a departure in its document.
func (r row) isTold(t *testing.T) {
	t.Helper()
	if r.departs == "" {
		return
	}
	text, err := os.ReadFile(filepath.Join(root, r.doc))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), r.words) || r.words == "" {
		t.Errorf("%q: %s does not say %q (%v)", r.fact, r.doc, r.words, err)
	}
}

// isThere looks for the test of a proof.
func isThere(t *testing.T, tests map[string]map[string]bool, proof string) {
	t.Helper()
	in, test, part := parts(proof)
	if tests[in] == nil {
		var err error
		if tests[in], err = known(root, in); err != nil {
			t.Error(err)
		}
	}
	if !tests[in][test] {
		t.Errorf("there is no test %s", proof)
	}
	if in == scripts && part != "" {
		if _, err := os.Stat(script(root, part)); err != nil {
			t.Error(err)
		}
	}
}

// TestEnoughRowsHaveTests counts the rows whose tests are there.
func TestEnoughRowsHaveTests(t *testing.T) {
	passed := map[string]bool{}
	for _, s := range seeds() {
		for _, r := range s.rows {
			for _, p := range r.proofs {
				passed[p] = r.awaits == ""
			}
		}
	}
	for want, s := range map[int]seed{105: seeds()[0], 67: seeds()[1], 84: seeds()[2], 74: seeds()[3]} {
		if text, enough := s.report(passed); !enough || len(s.rows) != want {
			t.Errorf("got %d rows of %s, want %d, and enough that work: %v\n%s", len(s.rows), s.id, want, enough, text)
		}
	}
}

// TestRowWorksOnlyWhenItsTestsPassed: one that was not run, or failed, does not count.
func TestRowWorksOnlyWhenItsTestsPassed(t *testing.T) {
	r := works("a fact", "house:TestA", "house:TestB")
	for _, c := range []struct {
		passed map[string]bool
		want   state
	}{
		{map[string]bool{"house:TestA": true, "house:TestB": true}, stateWorks},
		{map[string]bool{"house:TestA": true, "house:TestB": false}, stateDiffers},
		{map[string]bool{"house:TestA": true}, stateDiffers},
	} {
		if got, why := r.judge(c.passed); got != c.want {
			t.Errorf("with %v: got %s (%s), want %s", c.passed, got, why, c.want)
		}
	}
	few := seed{"9", "a seed", 1, []row{awaits("a fact", "a mend", "house:TestC"), awaits("another", "a mend")}}
	if text, enough := few.report(map[string]bool{"house:TestC": false}); enough {
		t.Errorf("a seed of which nothing works is enough:\n%s", text)
	}
	if text, enough := few.report(map[string]bool{"house:TestC": true}); !enough {
		t.Errorf("a row whose mend has come does not count:\n%s", text)
	}
}
