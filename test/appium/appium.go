// Package appium starts a real Appium 3 server with its XCUITest driver for tests, and runs scripts of WebdriverIO against it. Start
// returns a Server; Script runs a script. Only tests and the bench import it; `make test-appium` installs the programs, and other runs skip
// the tests.
package appium

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ios-agent/internal/machine/host"
	"ios-agent/test/freeport"
)

// Required is set by make test-appium, which alone installs the programs: there a missing one is a failure.
const Required = "IOS_AGENT_APPIUM"

// hang is how long a server may take to start before it is taken for hanging.
const hang = 2 * time.Minute

// Folder is where scripts/appium put the programs; outside of make test-appium the test is skipped.
func Folder(t testing.TB) string {
	t.Helper()
	if os.Getenv(Required) == "" {
		t.Skip("make test-appium runs this, with the real Appium")
	}
	dir, err := Installed("..", "..")
	if err != nil {
		t.Fatalf("Appium is not installed: %v", err)
	}
	return dir
}

// Installed is where scripts/appium put the programs, seen from the folder that the path to the repository's root leads out of.
func Installed(root ...string) (string, error) {
	cache := cmp.Or(os.Getenv("IOS_AGENT_CACHE"), filepath.Join(append(root, ".cache")...))
	dir, err := filepath.Abs(filepath.Join(cache, "npm-appium"))
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "installed.json")) // written last
	}
	return dir, err
}

// Server is a running Appium server.
type Server struct {
	URL string
	Log func() string // what it printed
}

// Start starts an Appium server with the XCUITest driver, and waits until it is ready. It ends with the test.
func Start(t testing.TB) Server {
	t.Helper()
	s, end, err := Run(Folder(t), freeport.Of(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("Appium printed:\n%s", s.Log())
		}
	})
	return s
}

// Run is Start for a program outside of a test; end stops the server. more are additional arguments for the server.
func Run(folder string, port int, more ...string) (s Server, end func(), err error) {
	h, err := host.New(host.Options{Inherit: []string{"*"}})
	if err != nil {
		return s, nil, err
	}
	home, err := os.MkdirTemp("", "appium")
	if err != nil {
		return s, nil, err
	}
	var mu sync.Mutex
	var said []string
	s.URL = "http://127.0.0.1:" + strconv.Itoa(port)
	s.Log = func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(said, "\n") }
	// APPIUM_HOME is a folder whose package.json names the driver: that is how Appium finds it, and it writes there.
	env := []string{"APPIUM_HOME=" + folder, "HOME=" + home, "NO_UPDATE_NOTIFIER=1"}
	process, err := h.Start(context.Background(), host.Cmd{
		Name: "node", Env: env, Dir: home,
		Args: append([]string{filepath.Join(folder, "node_modules", "appium", "index.js"), "server", "--address", "127.0.0.1",
			"--port", strconv.Itoa(port), "--use-drivers", "xcuitest", "--log-no-colors", "--log-level", "info"}, more...),
		OnLine: func(_ host.Stream, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			if said = append(said, string(line)); len(said) > mostLines {
				said = said[len(said)-mostLines:]
			}
		},
	})
	end = func() {
		_ = h.Close() // it ends the server; what it says of that does not matter
		_ = os.RemoveAll(home)
	}
	if err == nil {
		err = s.ready(process.Done())
	}
	if err != nil {
		end()
		return s, nil, err
	}
	return s, end, nil
}

// ready waits until the server answers.
func (s Server) ready(ended <-chan struct{}) error {
	ask := time.NewTicker(50 * time.Millisecond)
	defer ask.Stop()
	late := time.NewTimer(hang)
	defer late.Stop()
	for {
		select {
		case <-ask.C:
			resp, err := http.Get(s.URL + "/status")
			if err == nil {
				resp.Body.Close()
				return nil
			}
		case <-ended:
			return fmt.Errorf("the Appium server ended at once; it printed:\n%s", s.Log())
		case <-late.C:
			return fmt.Errorf("the Appium server does not answer after %s; it printed:\n%s", hang, s.Log())
		}
	}
}

// mostLines is how much of a log is kept.
const mostLines = 400

// Script runs a script of WebdriverIO with the packages that are installed, and gives what it printed.
func Script(t testing.TB, source string, args ...string) string {
	t.Helper()
	folder := Folder(t)
	h, err := host.New(host.Options{Inherit: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	file, err := os.CreateTemp(folder, "script-*.mjs") // beside node_modules: there its imports are found
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(source); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := h.Run(t.Context(), host.Cmd{
		Name: "node", Args: append([]string{file.Name()}, args...), Env: []string{"HOME=" + t.TempDir(), "WDIO_LOG_LEVEL=error"}, Timeout: hang,
	})
	if err != nil {
		t.Fatalf("the script: %v\n%s\n%s", err, out.Stdout, out.Stderr)
	}
	return string(out.Stdout)
}
