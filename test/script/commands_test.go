package script

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitCode is the variable a script reads the last exit code of ios-agent from.
const exitCode = "EXIT"

// iosAgent runs the binary and notes its exit code in $EXIT: ios-agent ARGS…
func iosAgent(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("ios-agent", args...)
	code := 0
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Setenv(exitCode, strconv.Itoa(code))
	if neg == (code == 0) {
		ts.Fatalf("ios-agent %s: exit %d", strings.Join(args, " "), code)
	}
}

// jsonCheck compares a value in a JSON document: json stdout PATH VALUE, where PATH is like .result.elements.0.ref and
// a missing value is the word nothing; json stdout PATH > N compares numbers.
func jsonCheck(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: json FILE PATH [>] VALUE")
	}
	got := at(ts, decode(ts, ts.ReadFile(args[0])), args[1])
	want := args[len(args)-1]
	holds := got == want
	if args[2] == ">" {
		a, errA := strconv.ParseFloat(got, 64)
		b, errB := strconv.ParseFloat(want, 64)
		holds = errA == nil && errB == nil && a > b
	}
	if holds == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
}

func decode(ts *testscript.TestScript, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}

func at(ts *testscript.TestScript, v any, path string) string {
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(node) {
				return "nothing"
			}
			v = node[i]
		default:
			return "nothing"
		}
	}
	switch node := v.(type) {
	case nil:
		return "nothing"
	case string:
		return node
	case []any:
		if len(node) == 0 {
			return "[]"
		}
	}
	raw, err := json.Marshal(v)
	ts.Check(err)
	return string(raw)
}

// refOf takes a snapshot and puts the ref of the element with an identifier into a variable: ref NAME IDENTIFIER
func refOf(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("ios-agent", "snapshot", "--json"))
	var answer struct {
		Result struct {
			Elements []struct{ Ref, Identifier string }
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	for _, e := range answer.Result.Elements {
		if e.Identifier == args[1] {
			ts.Setenv(args[0], e.Ref)
			return
		}
	}
	ts.Fatalf("no element has the identifier %s", args[1])
}

// setStateVersion makes the state of a stopped daemon that of another version: state-version N. SQLite has it in the four
// bytes at offset 60.
func setStateVersion(ts *testscript.TestScript, _ bool, args []string) {
	version, err := strconv.ParseUint(args[0], 10, 32)
	ts.Check(err)
	f, err := os.OpenFile(filepath.Join(ts.Getenv("IOS_AGENT_HOME"), "state.db"), os.O_RDWR, 0)
	ts.Check(err)
	_, err = f.WriteAt(binary.BigEndian.AppendUint32(nil, uint32(version)), 60)
	ts.Check(errors.Join(err, f.Close()))
}

// kill9 sends SIGKILL: kill9 daemon|agent|proxy|service. It waits until the kernel has ended the process, not for
// anything that follows from it.
func kill9(ts *testscript.TestScript, _ bool, args []string) {
	home := ts.Getenv("IOS_AGENT_HOME")
	files := map[string]string{"daemon": "run/daemon.lock", "service": "virtual/service.lock", "agent": "run/children/*.json"}
	files["proxy"] = files["agent"] // in a script without a device it is the only child
	matches, err := filepath.Glob(filepath.Join(home, files[args[0]]))
	ts.Check(err)
	if len(matches) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	for _, file := range matches {
		var who struct {
			PID int `json:"pid"`
		}
		raw, err := os.ReadFile(file)
		ts.Check(err)
		ts.Check(json.Unmarshal(raw, &who))
		ts.Check(syscall.Kill(who.PID, syscall.SIGKILL))
		awaitGone(ts, who.PID)
		ts.Logf("killed %s, pid %d", args[0], who.PID)
	}
}

func awaitGone(ts *testscript.TestScript, pid int) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // the last of them closes the sockets
		if err != nil || bytes.Contains(stat, []byte(") Z ")) && len(threads) <= 1 {
			return
		}
		<-time.After(time.Millisecond)
	}
	ts.Fatalf("pid %d does not end", pid)
}

// parallel starts a command N times at once and wants each to succeed: parallel N ios-agent ARGS…
func parallel(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var all sync.WaitGroup
	failures := make([]string, n)
	for i := range n {
		cmd := exec.Command(filepath.Join(bin, args[1]), args[2:]...)
		cmd.Env, cmd.Dir = environ(ts), ts.MkAbs(".")
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				failures[i] = fmt.Sprintf("client %d: %v\n%s", i, err, out)
			}
		})
	}
	all.Wait()
	if text := strings.Join(slices.DeleteFunc(failures, func(s string) bool { return s == "" }), "\n"); text != "" {
		ts.Fatalf("%s", text)
	}
}

func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{
		"IOS_AGENT_HOME", "IOS_AGENT_TOOLCHAIN", "IOS_AGENT_VIRTUAL_TIME", "IOS_AGENT_SESSION", "IOS_AGENT_JOB_AFTER", "IOS_AGENT_IDLE_EXIT",
		"XCODEBUILDMCP_SCHEME", "GORACE", "PATH", "HOME", "TMPDIR",
	} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// countProcesses checks how many processes of this script's home have a word in their command line:
// processes "daemon run" 1
func countProcesses(ts *testscript.TestScript, _ bool, args []string) {
	var found []string
	for _, p := range processesOf(ts.Getenv("IOS_AGENT_HOME")) {
		if strings.Contains(p, args[0]) {
			found = append(found, p)
		}
	}
	if want, err := strconv.Atoi(args[1]); err != nil || len(found) != want {
		ts.Fatalf("%d processes, not %s:\n%s", len(found), args[1], strings.Join(found, "\n"))
	}
}

// waitGone waits until no process of this script's home has a word in its command line: wait-gone xcodebuild
func waitGone(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		if !slices.ContainsFunc(processesOf(ts.Getenv("IOS_AGENT_HOME")), func(p string) bool { return strings.Contains(p, args[0]) }) {
			return
		}
	}
	ts.Fatalf("%s is still there", args[0])
}

// endApp ends the processes of this script's home that have a word in their command line, and waits: end-app Notes.app.
// One that only names the app, such as a log that is followed, may be gone by itself before it is ended.
func endApp(ts *testscript.TestScript, _ bool, args []string) {
	found := 0
	for _, p := range processesOf(ts.Getenv("IOS_AGENT_HOME")) {
		if strings.Contains(p, args[0]) {
			number, _, _ := strings.Cut(p, " ")
			pid, err := strconv.Atoi(number)
			ts.Check(err)
			if err := syscall.Kill(pid, syscall.SIGTERM); errors.Is(err, syscall.ESRCH) {
				continue
			} else {
				ts.Check(err)
			}
			awaitGone(ts, pid)
			found++
		}
	}
	if found == 0 {
		ts.Fatalf("%s does not run", args[0])
	}
}

// processesOf lists the living processes that were started for a home, by their environment.
func processesOf(home string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), "IOS_AGENT_HOME="+home) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(line) == 0 {
			continue
		}
		found = append(found, filepath.Base(dir)+" "+strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " "))
	}
	return found
}

// envIs checks a variable: env-is NAME VALUE
func envIs(ts *testscript.TestScript, neg bool, args []string) {
	if (ts.Getenv(args[0]) == args[1]) == neg {
		ts.Fatalf("%s is %q", args[0], ts.Getenv(args[0]))
	}
}

// capture puts a value of a JSON document into a variable: capture NAME FILE PATH
func capture(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], at(ts, decode(ts, ts.ReadFile(args[1])), args[2]))
}

// serve starts a server on this machine that answers every request with 201 and a text, until the script ends: serve VARIABLE TEXT. Its
// URL goes into the variable.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, args[1])
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// toolsOnPath puts the virtual tools first on the script's PATH: tools-on-path
func toolsOnPath(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("ios-agent", "virtual", "path"))
	ts.Setenv("PATH", strings.TrimSpace(ts.ReadFile("stdout"))+string(os.PathListSeparator)+ts.Getenv("PATH"))
}
