package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/machine/processes"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/network/whose"
	"ios-agent/internal/virtualxcode/urlsession"
	"ios-agent/internal/virtualxcode/web"
)

// The test binary is also what carries requests: as launchd_sim, as apps, and as the service that is killed.
const carryWord = "test-carry"

func TestMain(m *testing.M) {
	args := os.Args[1:]
	var err error
	switch {
	case len(args) == 2 && args[0] == carryWord:
		err = web.Init(context.Background(), os.Stdin, os.Stdout, []string{carryWord})
	case len(args) == 1 && args[0] == carryWord:
		err = web.Send(context.Background(), os.Stdin, os.Stdout)
	case len(args) == 3 && args[0] == "test-service":
		err = playService(args[1], args[2])
	default:
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of a -race build takes a second to exit
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// playService sends one request and waits to be killed.
func playService(root, address string) error {
	me, err := os.Executable()
	if err != nil {
		return err
	}
	c, err := web.NewCarrier(web.CarrierOptions{Binary: me, Dir: root, Args: []string{carryWord}})
	if err != nil {
		return err
	}
	from := source(root, deviceA, "Shop")
	if _, err := c.Fetch(context.Background(), urlsession.Request{Method: "GET", URL: address, From: from}); err != nil {
		return err
	}
	fmt.Println("sent")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

const (
	deviceA = "4A1B2C3D-0000-4111-8222-333344445555"
	deviceB = "5A1B2C3D-0000-4111-8222-333344445555"
)

func source(root, udid, app string) urlsession.Source {
	data := filepath.Join(root, "Devices", udid, "data")
	return urlsession.Source{Data: data, Program: filepath.Join(data, "Containers/Bundle/Application/0F0E0D0C-1111-4222-8333-444455556666",
		app+".app", app)}
}

// witness is a server that finds out who asks, as our proxy does.
type witness struct {
	*httptest.Server
	mu   sync.Mutex
	seen []flow.Client
}

func newWitness(t *testing.T) *witness {
	w, finder := &witness{}, whose.New()
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/never" {
			<-r.Context().Done()
			return
		}
		echo(rw, r)
	}))
	w.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s != http.StateNew {
			return
		}
		client := finder.Of(c.LocalAddr(), c.RemoteAddr())
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen = append(w.seen, client)
	}
	w.Start()
	t.Cleanup(w.Close)
	return w
}

func (w *witness) last() flow.Client {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[len(w.seen)-1]
}

// install writes what an app's folder needs.
func install(t *testing.T, root, udid, app string) urlsession.Source {
	t.Helper()
	s := source(root, udid, app)
	dir := filepath.Dir(s.Program)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{CFBundleIdentifier = "com.example.` + strings.ToLower(app) + `";}`
	if err := os.WriteFile(filepath.Join(dir, "Info.plist"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// wantGone waits until a process has ended: nobody tells us of those that are not our children.
func wantGone(t *testing.T, pid int, start string) {
	t.Helper()
	late := time.After(time.Minute)
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for processes.Alive(pid, start) {
		select {
		case <-poll.C:
		case <-late:
			t.Fatalf("process %d does not end", pid)
		}
	}
}

// TestCarrierSendsFromTheAppsProcess: a server sees requests of two apps on two devices come from their own
// processes, which end with the carrier.
func TestCarrierSendsFromTheAppsProcess(t *testing.T) {
	root, server := t.TempDir(), newWitness(t)
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err := web.NewCarrier(web.CarrierOptions{Binary: me, Dir: root, Args: []string{carryWord}})
	if err != nil {
		t.Fatal(err)
	}
	pids := map[int]string{}
	for _, app := range []struct{ udid, name, id string }{
		{deviceA, "Shop", "com.example.shop"}, {deviceA, "Maps", "com.example.maps"}, {deviceB, "Shop", "com.example.shop"},
		{deviceA, "Shop", "com.example.shop"},
	} {
		got, err := c.Fetch(t.Context(), urlsession.Request{Method: "POST", URL: server.URL, Body: "tea",
			From: install(t, root, app.udid, app.name), Headers: []urlsession.Header{{Name: "X-Who", Value: app.name}}})
		if err != nil || got.Status != 201 || got.Body != "POST "+app.name+" tea" {
			t.Errorf("%+v: %+v, %v", app, got, err)
		}
		by := server.last()
		if by.Simulator != app.udid || by.App != app.id || by.Process != app.name || by.PID == os.Getpid() {
			t.Errorf("%+v came from %+v", app, by)
		}
		if pids[by.PID], err = processes.StartTime(by.PID); err != nil {
			t.Error(err)
		}
	}
	if len(pids) != 3 {
		t.Errorf("three apps have %d processes", len(pids))
	}
	from := source(root, deviceA, "Shop")
	nobody := urlsession.Request{Method: "GET", URL: "http://127.0.0.1:1/", From: from}
	if _, err := c.Fetch(t.Context(), nobody); code(err) != urlsession.NoConnection {
		t.Errorf("where nobody listens: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := c.Fetch(ctx, urlsession.Request{Method: "GET", URL: server.URL + "/never", From: from})
		ended <- err
	}()
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled request has an answer")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for pid, start := range pids {
		wantGone(t, pid, start)
	}
	if got, err := c.Fetch(t.Context(), urlsession.Request{Method: "GET", URL: server.URL, From: from}); err != nil || got.Status != 201 {
		t.Errorf("without processes: %+v %v", got, err)
	}
}

// TestKilledServiceLeavesNoProcesses: nothing is left of what carried its requests.
func TestKilledServiceLeavesNoProcesses(t *testing.T) {
	root, server := t.TempDir(), newWitness(t)
	install(t, root, deviceA, "Shop")
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service := exec.Command(me, "test-service", root, server.URL)
	service.Stderr = os.Stderr
	stdin, err1 := service.StdinPipe()
	out, err2 := service.StdoutPipe()
	if err := service.Start(); err != nil || err1 != nil || err2 != nil {
		t.Fatal(err, err1, err2)
	}
	defer stdin.Close()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "sent\n" {
		t.Fatalf("%q %v", line, err)
	}
	line := processes.Line(server.last().PID) // the app, its launchd_sim, the service, …
	starts := map[int]string{}
	for _, pid := range line[:2] {
		if starts[pid], err = processes.StartTime(pid); err != nil {
			t.Fatal(err)
		}
	}
	if line[2] != service.Process.Pid {
		t.Errorf("the line is %v, the service %d", line, service.Process.Pid)
	}
	_ = service.Process.Kill()
	_ = service.Wait()
	for pid, start := range starts {
		wantGone(t, pid, start)
	}
}
