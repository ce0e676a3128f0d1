package host_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
)

// The test binary is also the program under test: with helperEnv set it plays one of these roles and exits.
const (
	helperEnv = "IOS_AGENT_HOST_HELPER"
	porchEnv  = "IOS_AGENT_HOST_PORCH"
	quick     = "GORACE=atexit_sleep_ms=0" // else a helper of a -race build takes a second to exit
)

var roles = map[string]func(args []string){
	"exit":      func(a []string) { fmt.Fprintln(os.Stderr, "on stderr"); os.Exit(number(a[0])) },
	"die":       func(a []string) { die(syscall.Signal(number(a[0]))) },
	"echo":      func([]string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"env":       func(a []string) { fmt.Print(os.Getenv(a[0])) },
	"cwd":       func([]string) { dir, _ := os.Getwd(); fmt.Print(dir) },
	"flood":     func(a []string) { flood(number(a[0])) },
	"longline":  func(a []string) { fmt.Println(strings.Repeat("x", number(a[0]))) },
	"block":     func([]string) { arrive("block"); wait() },
	"stubborn":  func([]string) { signal.Ignore(syscall.SIGINT); arrive("stubborn"); wait() },
	"polite":    polite,
	"until-eof": untilEOF,
	"parent":    func([]string) { grandchild(); arrive("parent"); wait() },
	"leaver":    func([]string) { fmt.Println("before"); grandchild() },
	"owner":     owner,
	"talk":      talk,
	"shot":      shot,
	"leak":      leak,
	"fulldisk":  fullDisk,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(helperEnv); role != "" {
		roles[role](os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func wait() { <-time.After(time.Minute) }

func die(sig syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), sig)
	wait()
}

func polite(args []string) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGINT)
	arrive("polite")
	<-ch
	fmt.Println("bye")
	os.Exit(number(args[0]))
}

// untilEOF leaves at the end of its input, and tells whether a signal came before.
func untilEOF([]string) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM)
	arrive("until-eof")
	_, _ = io.Copy(io.Discard, os.Stdin)
	select {
	case sig := <-ch:
		fmt.Println(sig)
	default:
		fmt.Println("no signal")
	}
}

func flood(n int) {
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	line := strings.Repeat("y", 99) + "\n"
	fmt.Fprintln(w, "first")
	for range n / len(line) {
		_, _ = w.WriteString(line)
	}
	fmt.Fprintln(w, "last")
}

// grandchild starts one that ignores SIGINT and keeps our stdout open.
func grandchild() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=stubborn")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// owner is a daemon that dies without cleaning up: it starts a registered child in the folder it is given and waits.
func owner(args []string) {
	h, err := host.New(host.Options{Dir: args[0]})
	if err != nil {
		panic(err)
	}
	_, err = h.Start(context.Background(), host.Cmd{Name: os.Args[0], Env: []string{helperEnv + "=parent"}})
	if err != nil {
		panic(err)
	}
	wait()
}

// talk says many things in turn, on both streams, in pieces that are neither lines nor characters.
func talk([]string) {
	for i := range 200 {
		fmt.Fprintf(os.Stdout, "out %d <&> \u00e9\u4e16\xe4\xb8", i)
		fmt.Fprintf(os.Stderr, "err %d\r\n", i)
		fmt.Fprintf(os.Stdout, "\x96\n")
	}
	fmt.Fprint(os.Stdout, "\xff\xfe no end")
	fmt.Fprint(os.Stderr, "none either")
	os.Exit(3)
}

// shot writes its input and some bytes that are no text to files.
func shot(args []string) {
	text, _ := io.ReadAll(os.Stdin)
	_ = os.WriteFile(args[0], []byte{0x89, 'P', 'N', 'G', 0, 0xff}, 0o644)
	_ = os.WriteFile(strings.TrimPrefix(args[1], "--json-output="), text, 0o644)
	fmt.Println("wrote", len(text))
}

// leak tells all its secrets, also in two pieces and in a file.
func leak(args []string) {
	token := os.Getenv("TEST_RUNNER_AGENT_TOKEN")
	fmt.Print(os.Environ(), os.Args, token[:5])
	fmt.Print(token[5:])
	_, _ = io.Copy(os.Stderr, os.Stdin)
	_ = os.WriteFile(args[0], []byte("file "+token), 0o600)
}

// fullDisk runs a program that says more than the disk can hold.
func fullDisk(args []string) {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
	h, err := host.New(host.Options{})
	if err != nil {
		panic(err)
	}
	c := helper("flood", "1000000")
	c.Spool = args[0]
	r, err := h.Run(context.Background(), c)
	fmt.Println(len(r.Stdout), err, errors.Is(r.SpoolErr, syscall.EFBIG), r.Spool != "")
}

// arrive connects to the porch of the test. The connection breaks when this process dies, which is how a test learns
// of it without polling.
func arrive(role string) {
	c, err := net.Dial("unix", os.Getenv(porchEnv))
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(c, role, os.Getpid())
	kept = append(kept, c)
}

var kept []net.Conn // else the collector would close it

// porch is where helpers arrive.
type porch struct {
	t *testing.T
	l net.Listener
}

type guest struct {
	role string
	pid  int
	c    net.Conn
}

func newPorch(t *testing.T) *porch {
	t.Helper()
	dir, err := os.MkdirTemp("", "porch") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &porch{t, l}
}

// next waits for a helper to arrive.
func (p *porch) next() guest {
	p.t.Helper()
	_ = p.l.(*net.UnixListener).SetDeadline(time.Now().Add(time.Minute))
	c, err := p.l.Accept()
	if err != nil {
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	g := guest{c: c}
	fmt.Sscan(line, &g.role, &g.pid)
	p.t.Cleanup(func() { c.Close() })
	return g
}

// party waits for n helpers and returns them by role.
func (p *porch) party(n int) map[string]guest {
	p.t.Helper()
	all := map[string]guest{}
	for range n {
		g := p.next()
		all[g.role] = g
	}
	return all
}

// gone waits for the death of a helper.
func (g guest) gone(t *testing.T) {
	t.Helper()
	_ = g.c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, g.c); err != nil {
		t.Fatalf("%s %d still lives: %v", g.role, g.pid, err)
	}
}

func (p *porch) helper(role string, args ...string) host.Cmd {
	c := helper(role, args...)
	c.Env = append(c.Env, porchEnv+"="+p.l.Addr().String())
	return c
}

func helper(role string, args ...string) host.Cmd {
	return host.Cmd{Name: os.Args[0], Args: args, Env: []string{helperEnv + "=" + role, quick}}
}

func newHost(t *testing.T) (*host.Host, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "children")
	h, err := host.New(host.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("registry entries left: %v", left)
		}
	})
	return h, dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}
