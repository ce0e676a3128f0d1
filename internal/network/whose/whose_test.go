package whose_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/whose"
)

// The test binary is also the programs that connect: with roleVariable set it plays one of these roles.
const roleVariable = "IOS_AGENT_WHOSE_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func play(role string, args []string) error {
	switch role {
	case "stranger":
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
		fallthrough
	case "connect":
		c, err := net.Dial("tcp", args[0])
		if err != nil {
			return err
		}
		fmt.Fprintln(c, os.Getpid())
		_, err = io.Copy(io.Discard, c) // until the other end leaves
		return err
	case "parent": // FILE PROGRAM ADDRESS: the file is only there to be seen
		child := exec.Command(args[1], args[2])
		child.Env = append(os.Environ(), roleVariable+"=connect")
		child.Stderr = os.Stderr
		return child.Run()
	}
	return fmt.Errorf("no role %q", role)
}

// listener gives connections, and the pid that their programs say they are.
type listener struct {
	net.Listener
	t *testing.T
}

func listen(t *testing.T, address string) *listener {
	l, err := net.Listen("tcp", address)
	if err != nil {
		if strings.Contains(address, "::1") {
			t.Skip("this machine has no IPv6:", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &listener{l, t}
}

func (l *listener) next() (c net.Conn, pid int) {
	l.t.Helper()
	_ = l.Listener.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute))
	c, err := l.Accept()
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { c.Close() })
	line, err := bufio.NewReader(c).ReadString('\n')
	if _, scanErr := fmt.Sscan(line, &pid); err != nil || scanErr != nil {
		l.t.Fatalf("the program said %q: %v", line, err)
	}
	return c, pid
}

// start runs a program in a role; it ends with the test.
func start(t *testing.T, role, program string, argv ...string) *exec.Cmd {
	t.Helper()
	c := &exec.Cmd{Path: program, Args: argv, Env: append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0"), Stderr: os.Stderr}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

func me(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConcurrentConnectionsFindTheirPrograms: each connection has the program that really made it, in any order of connecting.
func TestConcurrentConnectionsFindTheirPrograms(t *testing.T) {
	for name, address := range map[string]string{"IPv4": "127.0.0.1:0", "IPv6": "[::1]:0"} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, address)
			for range 2 {
				start(t, "connect", me(t), "connect", l.Addr().String())
			}
			f := whose.New()
			first, one := l.next()
			second, two := l.next()
			for range 2 { // the second time from memory
				for c, pid := range map[net.Conn]int{first: one, second: two} {
					got := f.Of(c.LocalAddr(), c.RemoteAddr())
					if got.PID != pid || got.Process != filepath.Base(me(t)) || got.Address != c.RemoteAddr().String() {
						t.Errorf("%+v, want the process %d", got, pid)
					}
					if got.Foreign || got.Simulator != "" || got.App != "" || !strings.Contains(got.Unknown, "outside of any simulator") {
						t.Errorf("got %+v, want a program of this machine itself", got)
					}
				}
			}
			if one == two {
				t.Error("both are the same program")
			}
		})
	}
}

// TestIPv4ClientOfIPv6ListenerIsFound: a listener for both takes IPv4 too, and tells its addresses in their longer form.
func TestIPv4ClientOfIPv6ListenerIsFound(t *testing.T) {
	l := listen(t, "[::]:0")
	start(t, "connect", me(t), "connect", fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port))
	c, pid := l.next()
	if got := whose.New().Of(c.LocalAddr(), c.RemoteAddr()); got.PID != pid {
		t.Errorf("%+v, want the process %d", got, pid)
	}
}

// udid and container are where a real simulator has its apps.
const (
	udid      = "4A1B2C3D-0000-4111-8222-333344445555"
	container = "data/Containers/Bundle/Application/0F0E0D0C-1111-4222-8333-444455556666"
)

// linked makes another name for the test binary: the system tells it as the program's path.
func linked(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Link(me(t), path) == nil {
		return path
	}
	raw, err := os.ReadFile(me(t)) // a folder of another file system
	if err == nil {
		err = os.WriteFile(path, raw, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

const infoPlist = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.shop</string></dict></plist>`

// TestSimulatorAppConnectionNamesItsDevice has real processes stand as those of a simulator do: launchd_sim, whose command line names its
// device, and below it an app, a service of the system, a program of the folder of another simulator.
func TestSimulatorAppConnectionNamesItsDevice(t *testing.T) {
	root := filepath.Join(t.TempDir(), "CoreSimulator")
	device := filepath.Join(root, "Devices", udid)
	other := filepath.Join(root, "Devices", strings.Replace(udid, "4A1B", "5A1B", 1), container, "Shop.app")
	init := linked(t, filepath.Join(root, "RuntimeRoot", "sbin", "launchd_sim"))
	for name, c := range map[string]struct {
		program string
		info    string
		want    flow.Client
	}{
		"app": {filepath.Join(device, container, "Shop.app", "Shop"), infoPlist, flow.Client{App: "com.example.shop"}},
		"extension": {filepath.Join(device, container, "Bag.app", "PlugIns", "Widget.appex", "Widget"), "",
			flow.Client{Unknown: "no Info.plist"}},
		"WebKit": {filepath.Join(root, "RuntimeRoot", "XPC", "com.apple.WebKit.Networking"), "",
			flow.Client{Unknown: "com.apple.WebKit.Networking is a service of the system"}},
		"nsurlsessiond": {filepath.Join(root, "RuntimeRoot", "usr", "libexec", "nsurlsessiond"), "",
			flow.Client{Unknown: "nsurlsessiond is a service of the system"}},
		"a system app": {filepath.Join(root, "RuntimeRoot", "Applications", "Maps.app", "Maps"), infoPlist,
			flow.Client{App: "com.example.shop"}},
		"another simulator": {filepath.Join(other, "Shop"), infoPlist, flow.Client{Unknown: "another simulator"}},
	} {
		t.Run(name, func(t *testing.T) {
			program := linked(t, c.program)
			if c.info != "" {
				if err := os.WriteFile(filepath.Join(filepath.Dir(program), "Info.plist"), []byte(c.info), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			l := listen(t, "127.0.0.1:0")
			start(t, "parent", init, "launchd_sim", device+"/data/var/run/launchd_bootstrap.plist", program, l.Addr().String())
			conn, pid := l.next()
			got := whose.New().Of(conn.LocalAddr(), conn.RemoteAddr())
			if got.PID != pid || got.Process != filepath.Base(program) || got.Simulator != udid || got.App != c.want.App {
				t.Errorf("%+v, want the process %d of simulator %s and app %q", got, pid, udid, c.want.App)
			}
			if (c.want.Unknown == "") != (got.Unknown == "") || !strings.Contains(got.Unknown, c.want.Unknown) {
				t.Errorf("unknown is %q, want %q", got.Unknown, c.want.Unknown)
			}
		})
	}
}

// TestConnectionOfEndedProgramIsUnknown: the owner of its connection is unknown.
func TestConnectionOfEndedProgramIsUnknown(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	p := start(t, "connect", me(t), "connect", l.Addr().String())
	c, pid := l.next()
	f := whose.New()
	if got := f.Of(c.LocalAddr(), c.RemoteAddr()); got.PID != pid {
		t.Errorf("while it lives it is %+v", got)
	}
	_ = p.Process.Kill()
	_ = p.Wait()
	for _, f := range []*whose.Finder{f, whose.New()} {
		got := f.Of(c.LocalAddr(), c.RemoteAddr())
		if got.PID != 0 || !strings.Contains(got.Unknown, "has ended") || got.Address != c.RemoteAddr().String() || !got.Foreign {
			t.Errorf("after its end it is %+v, want nobody's whom a proxy serves", got)
		}
	}
}

func TestOtherUsersProgramIsForeign(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	l := listen(t, "127.0.0.1:0")
	start(t, "stranger", me(t), "stranger", l.Addr().String())
	c, _ := l.next()
	if got := whose.New().Of(c.LocalAddr(), c.RemoteAddr()); got.PID != 0 || !strings.Contains(got.Unknown, "another user") ||
		!got.Foreign {
		t.Errorf("%+v, want another user's", got)
	}
}

// TestRemoteAndUnixConnectionsAreUnknown: from another machine, and from a Unix socket.
func TestRemoteAndUnixConnectionsAreUnknown(t *testing.T) {
	ours := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 9101}
	far := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 50000}
	if got := whose.New().Of(ours, far); got.Unknown != "the connection comes from another machine" || got.Foreign ||
		got.Address != "192.0.2.7:50000" {
		t.Errorf("%+v", got)
	}
	if got := whose.New().Of(&net.UnixAddr{Name: "a"}, &net.UnixAddr{Name: "b"}); got.Unknown == "" {
		t.Errorf("%+v", got)
	}
}

// BenchmarkOf is what a connection costs whose program has connected before.
func BenchmarkOf(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			_, _ = io.Copy(io.Discard, c)
		}
	}()
	c, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for _, kind := range []string{"known", "new"} {
		b.Run(kind, func(b *testing.B) {
			f := whose.New()
			for b.Loop() {
				if kind == "new" {
					f = whose.New()
				}
				if got := f.Of(c.LocalAddr(), c.RemoteAddr()); got.PID != os.Getpid() {
					b.Fatalf("%+v", got)
				}
			}
		})
	}
}
