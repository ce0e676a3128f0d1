package debugger

import (
	"bufio"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"ios-agent/internal/machine/host"
)

func TestPromptVariablesAreParsed(t *testing.T) {
	const said = `(int) n = 393
(point *) p = 0x00007ffe9dbefbc0 {
  (int) x = 154057
  (char *) name = 0x1 "a = b"
}
(void (*)(int)) then = 0x0000000000000000
(const char *) text = 0x00005567 "two
lines"
(shop.Cart) cart = {
  ([String]) items = 2 values {
    (String) [0] ={...}
  }
  (Int) total = 3{...}
}
(Swift.String) s = ""
`
	all, parts := readVariables(said)
	want := []dap.Variable{
		{Type: "int", Name: "n", Value: "393"}, {Type: "point *", Name: "p", Value: "0x00007ffe9dbefbc0"},
		{Type: "void (*)(int)", Name: "then", Value: "0x0000000000000000"},
		{Type: "const char *", Name: "text", Value: "0x00005567 \"two\nlines\""}, {Type: "shop.Cart", Name: "cart"},
		{Type: "Swift.String", Name: "s", Value: `""`},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("%+v", all)
	}
	inner := []dap.Variable{{Type: "int", Name: "x", Value: "154057"}, {Type: "char *", Name: "name", Value: `0x1 "a = b"`}}
	if !reflect.DeepEqual(parts[1], inner) {
		t.Errorf("%+v", parts[1])
	}
	if got := parts[4]; len(got) != 2 || got[0].Name != "items" || got[1] != (dap.Variable{Type: "Int", Name: "total", Value: "3"}) {
		t.Errorf("%+v", got)
	}
}

func FuzzPromptVariables(f *testing.F) {
	f.Add("(int) n = 393\n(p *) q = {\n  (int) x = 1\n}\n")
	f.Fuzz(func(t *testing.T, said string) {
		all, parts := readVariables(said)
		if len(all) != len(parts) {
			t.Fatal(len(all), len(parts))
		}
		readRegisters(said)
	})
}

// TestPromptReportsProcessChanges: also in pieces, between prompts, and not when we asked.
func TestPromptReportsProcessChanges(t *testing.T) {
	var got []change
	p := newPrompt(func(c change) { got = append(got, c) })
	p.skip = 1
	for _, piece := range []string{
		"ios-agent-3> thread list\nProcess 7 stopped\n* @thread", "\nios-agent-3> Process 7 resu", "ming\nProcess 7 stopped\n* thread #1\n",
		"the program says: Process 7 stopped\n", "Process 7 stopped and restarted: thread 1 received signal: SIGCONT\n",
		"Process 7 exited with status = 7 (0x00000007) \n", "Process 7 detached\n",
	} {
		p.heard(host.Stdout, []byte(piece))
	}
	p.heard(host.Stderr, []byte("Process 7 stopped\n"))
	want := []change{{kind: changeResuming}, {kind: changeStopped}, {kind: changeExited, status: 7}, {kind: changeDetached}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestPromptReordersStopPrintedBeforeResume is what lldb 19 printed where a watchpoint was met at once: the program stands.
func TestPromptReordersStopPrintedBeforeResume(t *testing.T) {
	var got []change
	p := newPrompt(func(c change) { got = append(got, c) })
	in, input := io.Pipe()
	p.input = input
	go func() {
		lines := bufio.NewReader(in)
		for range 4 { // the command, and the three of the mark
			if _, err := lines.ReadString('\n'); err != nil {
				return
			}
		}
		p.heard(host.Stderr, []byte("error: 'iosagentmark1' is not a valid command.\n"))
		p.heard(host.Stdout, []byte("(lldb) process continue\n\nWatchpoint 1 hit:\nold value: 561\nnew value: 595\nProcess 9473 stopped\n"+
			"* thread #1, name = 'count', stop reason = watchpoint 1\nProcess 9473 resuming\n(lldb) iosagentmark1\n"))
		p.heard(host.Stdout, []byte("(lldb) settings set prompt \"ios-agent-1> \"\nios-agent-1> settings show prompt\n"+
			"prompt (string) = \"ios-agent-1> \"\n"))
	}()
	if _, err := p.must(t.Context(), 0, "process continue"); err != nil {
		t.Fatal(err)
	}
	p.heard(host.Stdout, []byte("Process 9473 exited with status = 0\n"))
	want := []change{{kind: changeResuming}, {kind: changeStopped}, {kind: changeExited}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestLongAnswerIsBounded: a program may print our own word without end, and a mark that comes in pieces after it is found.
func TestLongAnswerIsBounded(t *testing.T) {
	p := newPrompt(func(change) {})
	const n, most = 3, mostHeard + 1<<20
	line := []byte(strings.Repeat("ios-agent ", 1000) + "\n")
	for sent := 0; sent < 3*mostHeard; sent += len(line) {
		p.heard(host.Stdout, line)
		p.heard(host.Stderr, line)
	}
	if out, errs := len(p.out.String()), len(p.errs.String()); out > most || errs > most {
		t.Errorf("%d and %d bytes are kept of an answer, want at most %d", out, errs, most)
	}
	p.heard(host.Stderr, []byte("error: 'iosagentm"))
	p.heard(host.Stderr, []byte("ark3' is not a valid command.\n"))
	p.heard(host.Stdout, []byte("the last line\nprompt (string) = \"i"))
	p.heard(host.Stdout, []byte("os-agent-3> \"\n"))
	output, _, done := p.answer(n, nil)
	if !done || !strings.HasPrefix(output, "ios-agent ") || !strings.Contains(output, "\n…\n") ||
		!strings.HasSuffix(output, "\nthe last line\n") {
		t.Errorf("answered: %v, with %d bytes, want the beginning, an ellipsis and the last line", done, len(output))
	}
}

// TestWantsMoreDetectsCommandsThatReadInput: what follows at the prompt is ours, and would be taken for theirs.
func TestWantsMoreDetectsCommandsThatReadInput(t *testing.T) {
	for command, wants := range map[string]bool{
		"expression": true, "expr": true, "e": true, "script": true, "p": true, "": true, "bt\nquit": true, "breakpoint command add 1": true,
		"target stop-hook add": true, "expression 1 + 1": false, "p n": false, "bt": false, "script print(1)": false, "s": false,
		"breakpoint command add 1 -o bt": false, "step": false,
	} {
		if got := wantsMore(command) != ""; got != wants {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestQuotedEscapesSpecialCharacters(t *testing.T) {
	if got := quoted("a \"b\" \\ `c`"); got != "\"a \\\"b\\\" \\\\ \\`c\\`\"" {
		t.Error(got)
	}
}
