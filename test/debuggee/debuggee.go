// Package debuggee is a C program that is compiled and run by a test, to be debugged. Only tests import it.
package debuggee

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
)

// Source counts, a line a number, until running is 0. The lines that tests name: 7 begins add, 8 is in it, 15 calls it.
const Source = `#include <stdio.h>
#include <unistd.h>
struct point { int x, y; };
static int total;
static volatile int running = 1;
int add(int n, struct point *p) {
	int doubled = n * 2;
	p->x += doubled;
	total += n;
	return total;
}
int main(void) {
	struct point p = {1, 2};
	for (int i = 0; running; i++) {
		int sum = add(i, &p);
		printf("%d %d\n", i, sum);
		fflush(stdout);
		usleep(20000);
	}
	return 7;
}
`

// Required is set by make test-debugger: there a missing debugger is a failure.
const Required = "IOS_AGENT_DEBUGGER"

// Program is a program that counts.
type Program struct {
	PID int

	t       testing.TB
	process *host.Process

	mu   sync.Mutex
	n    int           // lines so far
	more chan struct{} // closed by the next
}

// Start compiles the program and runs it until the test ends. Without a compiler or a debugger the test is skipped.
func Start(t testing.TB) *Program {
	t.Helper()
	if missing := missing(); missing != "" {
		if os.Getenv(Required) != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "count.c"), filepath.Join(dir, "count")
	if err := os.WriteFile(source, []byte(Source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := h.Run(t.Context(), host.Cmd{Name: "cc", Args: []string{"-g", "-O0", "-o", binary, source}}); err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	p := &Program{t: t, more: make(chan struct{})}
	if p.process, err = h.Start(t.Context(), host.Cmd{Name: binary, OnLine: p.line}); err != nil {
		t.Fatal(err)
	}
	p.PID = p.process.PID
	p.await(1)
	return p
}

func (p *Program) line(host.Stream, []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	close(p.more)
	p.more = make(chan struct{})
}

// missing says what cannot be had.
func missing() string {
	if !host.Installed("cc") {
		return "there is no C compiler, cc"
	}
	found := host.Installed("lldb-dap")
	for version := 18; version <= 22; version++ {
		found = found || host.Installed(fmt.Sprintf("lldb-dap-%d", version))
	}
	if !found {
		return "there is no lldb-dap: make test-debugger installs one, Debian's package lldb-19 has it"
	}
	return ""
}

// MustCount fails the test unless the program runs on: what it has counted is read at once, so that so many lines are new ones.
func (p *Program) MustCount() {
	p.t.Helper()
	p.await(25)
}

// await waits for so many lines more.
func (p *Program) await(lines int) {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for first := -1; ; {
		p.mu.Lock()
		n, more := p.n, p.more
		p.mu.Unlock()
		if first < 0 {
			first = n
		}
		if n >= first+lines {
			return
		}
		select {
		case <-more:
		case <-p.process.Done():
			p.t.Fatal("the program has ended")
		case <-late:
			p.t.Fatal("the program does not run")
		}
	}
}
