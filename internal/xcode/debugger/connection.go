package debugger

import (
	"io"
	"time"

	"ios-agent/internal/machine/host"
)

// connection is a running debugger that speaks the Debug Adapter Protocol: lldb-dap, or an lldb behind a promptServer.
type connection struct {
	process *host.Process
	input   *io.PipeWriter // requests
	output  *io.PipeReader // answers and events; it ends with the program
	over    chan struct{}  // closed when the program has ended
}

// connect starts a debugger. It sets the streams of cmd.
func connect(cmd host.Cmd, prompt bool, patience time.Duration, start func(host.Cmd) (*host.Process, error)) (*connection, error) {
	requests, input := io.Pipe()
	output, stdout := io.Pipe()
	c := &connection{input: input, output: output, over: make(chan struct{})}
	told := cmd.OnOutput
	cmd.Stdin, cmd.EndByStdin = requests, true
	cmd.OnOutput = func(from host.Stream, b []byte) {
		switch {
		case from == host.Stdout:
			_, _ = stdout.Write(b) // fails after the reader has closed its end
		case told != nil:
			told(from, b)
		}
	}
	var server *promptServer
	if prompt {
		server = newPromptServer(stdout, patience)
		server.lldb.over = c.over
		cmd.Stdin, server.lldb.input = io.Pipe()
		cmd.OnOutput = server.lldb.heard
	}
	var err error
	if c.process, err = start(cmd); err != nil {
		return nil, err
	}
	if server != nil {
		go func() {
			server.serve(requests)
			requests.Close()
			stdout.Close()
		}()
	}
	go func() {
		<-c.process.Done()
		if server == nil {
			stdout.Close()
		} else {
			server.lldb.input.Close()
		}
		input.Close()
		close(c.over)
	}()
	return c, nil
}
