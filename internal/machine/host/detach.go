package host

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// StartDetached starts a background service of our own that outlives us: a session of its own, nothing on stdin, both
// outputs appended to logFile (mode 0600), "/" as its working directory so that it keeps no folder busy. env is merged over
// ours. The service is in no registry: neither Close nor Reap ends it. If it ends before us, it leaves no zombie.
func StartDetached(path string, args, env []string, logFile string) (pid int, err error) {
	return startDetached(path, args, env, logFile, nil)
}

// StartTethered is StartDetached with a pipe as stdin, whose other end we hold: the service sees it end when tether is closed, or when we
// die, however we die.
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
	cmd.Env = Cmd{Env: env, Inherit: []string{"*"}}.environ() // what its own programs get, it decides
	cmd.Stdout, cmd.Stderr = log, log
	if stdin != nil { // a nil file in the interface would not be nil
		cmd.Stdin = stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, startError(Cmd{Name: path}, err)
	}
	// Nobody waits for this goroutine: it ends with the service or with us.
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}
