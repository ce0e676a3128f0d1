package host

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// StartDetached starts a background service of our own that outlives this process. It gets a session of its own, an empty stdin, both
// outputs appended to logFile (mode 0600), and "/" as its working directory so that it keeps no folder busy. env overrides this process's
// environment. The registry does not have the service: neither Close nor Reap ends it. If it ends before this process, it leaves no zombie.
func StartDetached(path string, args, env []string, logFile string) (pid int, err error) {
	return startDetached(path, args, env, logFile, nil)
}

// StartTethered is StartDetached with a pipe as stdin, of which this process holds the other end. The service's input ends when tether is
// closed, or when this process dies for any reason.
func StartTethered(path string, args, env []string, logFile string) (tether io.Closer, pid int, err error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, 0, fmt.Errorf("start service: %w", err)
	}
	defer theirs.Close()
	if pid, err = startDetached(path, args, env, logFile, theirs); err != nil {
		ours.Close()
		return nil, 0, err
	}
	return ours, pid, nil
}

func startDetached(path string, args, env []string, logFile string, stdin *os.File) (pid int, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return 0, fmt.Errorf("start service: %w", err)
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("start service: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(path, args...)
	cmd.Dir = "/"
	cmd.Env = Cmd{Env: env, Inherit: []string{"*"}}.environ() // the service decides which variables its own programs get
	cmd.Stdout, cmd.Stderr = log, log
	if stdin != nil { // a nil file in the interface would not be nil
		cmd.Stdin = stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, startError(Cmd{Name: path}, err)
	}
	// This goroutine needs no owner: it ends with the service or with this process.
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}
