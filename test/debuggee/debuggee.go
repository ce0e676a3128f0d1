// Package debuggee is a C program that is compiled and run by a test, to be debugged. Only tests import it.
package debuggee

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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

	t     testing.TB
	lines *bufio.Scanner
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
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "count.c"), filepath.Join(dir, "count")
	if err := os.WriteFile(source, []byte(Source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-g", "-O0", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(binary)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p := &Program{cmd.Process.Pid, t, bufio.NewScanner(out)}
	p.next()
	return p
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

// next is the next number; -1 when the program has ended.
func (p *Program) next() int {
	if !p.lines.Scan() {
		return -1
	}
	n, err := strconv.Atoi(strings.Fields(p.lines.Text())[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

// MustCount fails the test unless the program runs on. It counts 50 numbers a second: of so many, most are yet to come.
func (p *Program) MustCount() {
	p.t.Helper()
	for range 50 {
		if p.next() < 0 {
			p.t.Fatal("the program has ended")
		}
	}
}
