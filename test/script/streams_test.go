package script

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// streams are the background commands of all scripts, by the file they write.
var streams sync.Map

type running struct {
	cmd   *exec.Cmd
	lines chan string
	want  int
}

// startStream runs a command that prints lines until it is stopped: stream FILE LINES ios-agent ARGS… It returns when
// the daemon knows of its reader.
func startStream(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	cmd := exec.Command(filepath.Join(bin, args[2]), args[3:]...)
	cmd.Env, cmd.Dir = environ(ts), ts.MkAbs(".")
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	r := &running{cmd: cmd, lines: make(chan string, 1000), want: want}
	go func() {
		defer close(r.lines)
		for scan := bufio.NewScanner(out); scan.Scan(); {
			r.lines <- scan.Text()
		}
	}()
	streams.Store(ts.MkAbs(args[0]), r)
	awaitCalls(ts, 1)
}

// awaitCalls waits until the daemon has so many calls under way.
func awaitCalls(ts *testscript.TestScript, n int) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		ts.Check(ts.Exec("ios-agent", "daemon", "status", "--json"))
		if at(ts, decode(ts, ts.ReadFile("stdout")), ".result.calls") == strconv.Itoa(n) {
			return
		}
	}
	ts.Fatalf("the stream never began")
}

// endStream waits for the lines that were announced, stops the command as ctrl-C does, and wants it to end well.
func endStream(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	found, ok := streams.LoadAndDelete(file)
	if !ok {
		ts.Fatalf("there is no stream into %s", args[0])
	}
	r := found.(*running)
	var text strings.Builder
	for range r.want {
		select {
		case line := <-r.lines:
			fmt.Fprintln(&text, line)
		case <-time.After(time.Minute):
			ts.Fatalf("the stream said only:\n%s", text.String())
		}
	}
	ts.Check(r.cmd.Process.Signal(os.Interrupt))
	ts.Check(r.cmd.Wait())
	ts.Check(os.WriteFile(file, []byte(text.String()), 0o600))
}

// interrupt runs a command that takes long and stops it as ctrl-C does once it tells of its progress: interrupt FILE ios-agent ARGS…
// Its stderr goes into the file, its exit code into $EXIT.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(filepath.Join(bin, args[1]), args[2:]...)
	cmd.Env, cmd.Dir = environ(ts), ts.MkAbs(".")
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var errs strings.Builder
	for scan, told := bufio.NewScanner(pipe), false; scan.Scan(); {
		fmt.Fprintln(&errs, scan.Text())
		if !told {
			told = true
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	if err := cmd.Wait(); err == nil {
		ts.Fatalf("%s ended well:\n%s", strings.Join(args[1:], " "), errs.String())
	}
	ts.Setenv(exitCode, strconv.Itoa(cmd.ProcessState.ExitCode()))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(errs.String()), 0o600))
}

// orphan starts an MCP server under a parent that is killed once it answers, while its stdin stays open:
// orphan ios-agent mcp ARGS…
func orphan(ts *testscript.TestScript, _ bool, args []string) {
	parent := exec.Command("sh", "-c", `"$@" <&3 & echo started; wait`, "sh", filepath.Join(bin, args[0]))
	parent.Args = append(parent.Args, args[1:]...)
	parent.Env, parent.Dir = environ(ts), ts.MkAbs(".")
	read, write, err := os.Pipe()
	ts.Check(err)
	defer write.Close() // open until the end of the script's command: no EOF tells the child
	parent.ExtraFiles = []*os.File{read}
	out, err := parent.StdoutPipe()
	ts.Check(err)
	ts.Check(parent.Start())
	read.Close()
	fmt.Fprintln(write, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "serverInfo"); {
	}
	ts.Check(parent.Process.Kill())
	_ = parent.Wait() // killed, as intended
	waitGone(ts, false, []string{"ios-agent " + strings.Join(args[1:], " ")})
}
