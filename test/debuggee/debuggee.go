// Package debuggee compiles and starts small C and Swift programs for tests of the debugger. A Program counts and prints a line per number
// until a debugger sets its variable running to 0; Source has the lines that tests name. Only tests import it.
package debuggee

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ios-agent/internal/machine/host"
)

// Source counts, a line a number, until running is 0. The lines that tests name: 7 begins add, 8 is in it, 15 calls it.
const Source = `#include <stdio.h>
#include <unistd.h>
struct point { int x, y; }; int atoi(const char *);
static int total;
static volatile int running = 1;
int add(int n, struct point *p) {
	int doubled = n * 2;
	p->x += doubled;
	total += n;
	return total;
}
int main(int argc, char **argv) {
	struct point p = {1, 2};
	for (int i = 0; running; i++) {
		int sum = add(i, &p);
		printf("%d %d\n", i, sum);
		fflush(stdout);
		usleep(argc > 1 ? atoi(argv[1]) : 20000);
	}
	return 7;
}
`

// Required is set by make test-debugger, which alone runs a real debugger: there a missing one is a failure.
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

// Start compiles the program and runs it until the test ends. Outside of make test-debugger the test is skipped.
func Start(t testing.TB) *Program { t.Helper(); return start(t) }

// StartFast is Start of a program that counts forty times as fast.
func StartFast(t testing.TB) *Program { t.Helper(); return StartEvery(t, 500*time.Microsecond) }

// StartEvery is Start of a program that rests so long after each line.
func StartEvery(t testing.TB, rest time.Duration) *Program {
	t.Helper()
	return start(t, strconv.FormatInt(rest.Microseconds(), 10))
}

func start(t testing.TB, args ...string) *Program {
	t.Helper()
	return run(t, Compiled(t), args...)
}

// Compiled is the file of the program, which does not run yet.
func Compiled(t testing.TB) (binary string) {
	t.Helper()
	if os.Getenv(Required) == "" {
		t.Skip("make test-debugger runs this, with a real debugger")
	}
	if missing := missing(); missing != "" {
		t.Fatal(missing)
	}
	return compile(t, "count.c", Source, "cc", "-g", "-O0")
}

// SwiftRequired is set by make test-debugger where it runs with a Swift toolchain: there a missing one is a failure.
const SwiftRequired = "IOS_AGENT_SWIFT_DEBUGGER"

// SwiftSource counts too. The lines that tests name: 7 is in add, 16 calls it.
const SwiftSource = `import Glibc
struct Item {
	var name: String
	var price: Double
}
func add(_ n: Int, to items: inout [Item]) -> Int {
	let item = Item(name: "thing \(n)", price: 2.5)
	items.append(item)
	if items.count > 3 { items.removeFirst() }
	return items.count
}
var items: [Item] = []
var n = 0
while true {
	n += 1
	let count = add(n, to: &items)
	print(n, count)
	fflush(stdout)
	usleep(20000)
}
`

// StartSwift is Start of a Swift program. The debugger has to be the Swift toolchain's own: no other knows its types.
func StartSwift(t testing.TB) *Program {
	t.Helper()
	for _, name := range []string{"swiftc", "lldb-dap", "lldb"} {
		if host.Installed(name) {
			continue
		}
		if os.Getenv(SwiftRequired) != "" {
			t.Fatal("missing tool: " + name)
		}
		t.Skip("missing tool: " + name + ": make test-debugger fetches a Swift toolchain")
	}
	if os.Getenv(SwiftRequired) == "" {
		t.Skip("make test-debugger runs this inside a Swift toolchain")
	}
	return run(t, compile(t, "count.swift", SwiftSource, "swiftc", "-g", "-Onone"))
}

// compile gives the program that a compiler makes of a source.
func compile(t testing.TB, name, text, compiler string, args ...string) (binary string) {
	t.Helper()
	h := newHost(t)
	dir := t.TempDir()
	source, binary := filepath.Join(dir, name), filepath.Join(dir, "count")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := host.Cmd{Name: compiler, Args: append(args, "-o", binary, source), Dir: dir, Timeout: 5 * time.Minute}
	if out, err := h.Run(t.Context(), c); err != nil {
		t.Fatalf("%v\n%s", err, out.Stderr)
	}
	return binary
}

func newHost(t testing.TB) *host.Host {
	t.Helper()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// run starts a program that counts.
func run(t testing.TB, binary string, args ...string) *Program {
	t.Helper()
	p := &Program{t: t, more: make(chan struct{})}
	var err error
	if p.process, err = newHost(t).Start(t.Context(), host.Cmd{Name: binary, Args: args, OnLine: p.line}); err != nil {
		t.Fatal(err)
	}
	p.PID = p.process.PID
	p.Await(1)
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
		return "missing C compiler: cc"
	}
	found := host.Installed("lldb-dap")
	for version := 18; version <= 22; version++ {
		found = found || host.Installed(fmt.Sprintf("lldb-dap-%d", version))
	}
	if !found {
		return "missing lldb-dap: make test-debugger installs one, Debian's package lldb-19 has it"
	}
	return ""
}

// End kills the program: a debugger would get any other signal first.
func (p *Program) End() {
	_ = unix.Kill(p.PID, unix.SIGKILL)
	<-p.process.Done()
}

// MustCount fails the test unless the program runs: it skips the present lines of its output and waits for new ones.
func (p *Program) MustCount() {
	p.t.Helper()
	p.Await(25)
}

// Await waits for a number of new lines.
func (p *Program) Await(lines int) {
	p.t.Helper()
	late := time.After(time.Minute)
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
