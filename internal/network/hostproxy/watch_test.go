package hostproxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/networksetup"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/processes"
	"ios-agent/internal/network/hostproxy"
	"ios-agent/internal/virtualxcode"
	virtual "ios-agent/internal/virtualxcode/networksetup"
	"ios-agent/internal/virtualxcode/service"
	"ios-agent/internal/virtualxcode/world"
)

// The test binary is also an owner of a change, its watcher, and the tools of a Mac whose settings are in files.
const roleVariable = "IOS_AGENT_HOSTPROXY_ROLE"

func TestMain(m *testing.M) {
	if play := tools[filepath.Base(os.Args[0])]; play != nil {
		os.Exit(playTool(play))
	}
	if role := os.Getenv(roleVariable); role != "" {
		if err := playRole(role, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, role, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of a -race build takes a second to exit
	os.Exit(m.Run())
}

var tools = map[string]service.FrontEnd{"networksetup": virtual.Run, "route": virtual.Route, "scutil": virtual.Scutil}

// playTool plays a tool on the world that lies beside it. There are no apps in it, which takes time to read them.
func playTool(play service.FrontEnd) int {
	dir, err := virtualxcode.Dir(os.Args[0])
	if err != nil {
		return 70
	}
	w, err := world.New(world.Options{Store: service.Files(filepath.Join(dir, "state"))})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 70
	}
	defer w.Close()
	return play(context.Background(), w, virtualxcode.Call{Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr}.Complete())
}

func toolOf(dir string) (networksetup.Tool, error) {
	h, err := host.New(host.Options{})
	return networksetup.Tool{Host: h, Tools: apple.Toolchain{Bin: filepath.Join(dir, "bin")}}, err
}

// playRole is an owner that waits to be killed, or to be told to stop; or its watcher.
func playRole(role, dir string) error {
	ctx := context.Background()
	journal := hostproxy.JournalOf(dir)
	tool, err := toolOf(dir)
	if err != nil {
		return err
	}
	if role == "watcher" {
		return hostproxy.Watch(ctx, os.Stdin, journal, func(ctx context.Context) error {
			_, err := hostproxy.Undo(ctx, tool, journal)
			return err
		})
	}
	if _, err := hostproxy.Set(ctx, hostproxy.SetOptions{Tool: tool, Journal: journal, Port: port}); err != nil {
		return err
	}
	me, err := os.Executable()
	if err != nil {
		return err
	}
	tether, pid, err := host.StartTethered(me, []string{dir}, []string{roleVariable + "=watcher"}, filepath.Join(dir, "watcher.log"))
	if err != nil {
		return err
	}
	fmt.Println(pid)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if _, err := hostproxy.Undo(ctx, tool, journal); err != nil {
		return err
	}
	return tether.Close()
}

// realMac is a Mac of processes: tools that are executed, an owner that has changed its settings, and the owner's watcher.
type realMac struct {
	*testing.T
	dir     string
	tool    networksetup.Tool
	owner   *exec.Cmd
	stdin   io.Closer
	watcher int
	start   string // of the watcher
}

func newRealMac(t *testing.T) *realMac {
	t.Helper()
	m := &realMac{T: t, dir: t.TempDir()}
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := (virtualxcode.Xcode{Dir: m.dir, Binary: me}).Mount(); err != nil {
		t.Fatal(err)
	}
	if m.tool, err = toolOf(m.dir); err != nil {
		t.Fatal(err)
	}
	if err := m.tool.SetProxy(t.Context(), networksetup.Secure, "Wi-Fi", "secure.test", 3129); err != nil {
		t.Fatal(err)
	}
	m.begin(me)
	return m
}

func (m *realMac) begin(me string) {
	m.Helper()
	m.owner = exec.Command(me, m.dir)
	m.owner.Env = append(os.Environ(), roleVariable+"=owner")
	m.owner.Stderr = os.Stderr
	m.owner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err1 := m.owner.StdinPipe()
	out, err2 := m.owner.StdoutPipe()
	if err := m.owner.Start(); err != nil || err1 != nil || err2 != nil {
		m.Fatal(err, err1, err2)
	}
	m.stdin = stdin
	m.Cleanup(func() {
		_ = m.owner.Process.Kill()
		_ = m.owner.Wait()
		m.gone()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		m.Fatal(err)
	} else if _, err := fmt.Sscan(line, &m.watcher); err != nil {
		m.Fatalf("%q %v", line, err)
	}
	if m.start, err1 = processes.StartTime(m.watcher); err1 != nil {
		m.Fatal(err1)
	}
}

// until waits for something that no process tells us.
func (m *realMac) until(what string, done func() bool) {
	m.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(time.Minute)
	for !done() {
		select {
		case <-poll.C:
		case <-late:
			log, _ := os.ReadFile(filepath.Join(m.dir, "watcher.log"))
			m.Fatalf("%s: not within a minute; the watcher says %s", what, log)
		}
	}
}

func (m *realMac) gone() {
	m.Helper()
	m.until("the watcher ends", func() bool { return !processes.Alive(m.watcher, m.start) })
}

func (m *realMac) want(web, secure string) {
	m.Helper()
	for kind, want := range map[networksetup.Kind]string{networksetup.Web: web, networksetup.Secure: secure} {
		p, err := m.tool.Proxy(m.Context(), kind, "Wi-Fi")
		if got := fmt.Sprintf("%v %s:%d", p.On, p.Server, p.Port); err != nil || got != want {
			m.Errorf("the %s is %s, %v; want %s", kind, got, err, want)
		}
	}
}

const isOurs = "true 127.0.0.1:9101"

// TestWatcherUndoesAfterOwnerIsKilled: kill -9 of the owner and of its whole group; the watcher, in a session of its own, puts all back and
// ends.
func TestWatcherUndoesAfterOwnerIsKilled(t *testing.T) {
	t.Parallel()
	m := newRealMac(t)
	m.want(isOurs, isOurs)
	if err := syscall.Kill(-m.owner.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = m.owner.Wait()
	m.gone()
	m.want("false :0", "true secure.test:3129")
	if _, err := os.Stat(hostproxy.JournalOf(m.dir)); !os.IsNotExist(err) {
		t.Errorf("the journal: %v", err)
	}
}

// TestChangeIsPendingAfterWatcherIsKilled: with owner and watcher dead, the change is pending, and the next command undoes it.
func TestChangeIsPendingAfterWatcherIsKilled(t *testing.T) {
	t.Parallel()
	m := newRealMac(t)
	if err := syscall.Kill(m.watcher, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	m.gone()
	_ = m.owner.Process.Kill()
	_ = m.owner.Wait()
	m.want(isOurs, isOurs)
	if !hostproxy.Pending(hostproxy.JournalOf(m.dir)) {
		t.Error("nothing is pending")
	}
	u, err := hostproxy.Undo(t.Context(), m.tool, hostproxy.JournalOf(m.dir))
	if err != nil || !strings.Contains(u.Text(), "secure.test:3129") {
		t.Errorf("%+v %v", u, err)
	}
	m.want("false :0", "true secure.test:3129")
}

// TestWatcherEndsAfterOwnerUndoes: it undoes the change itself, and the watcher ends.
func TestWatcherEndsAfterOwnerUndoes(t *testing.T) {
	t.Parallel()
	m := newRealMac(t)
	m.stdin.Close()
	if err := m.owner.Wait(); err != nil {
		t.Error(err)
	}
	m.gone()
	m.want("false :0", "true secure.test:3129")
}

// TestWatcherKeepsChangeAdoptedByOther: the owner is killed, but its change belongs to a daemon that lives: the watcher leaves it alone.
func TestWatcherKeepsChangeAdoptedByOther(t *testing.T) {
	t.Parallel()
	m := newRealMac(t)
	if _, err := hostproxy.Adopt(t.Context(), hostproxy.JournalOf(m.dir)); err != nil {
		t.Fatal(err)
	}
	_ = m.owner.Process.Kill()
	_ = m.owner.Wait()
	m.gone()
	m.want(isOurs, isOurs)
}
