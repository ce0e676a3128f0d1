package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// StartDetached starts a background service of our own that outlives us: a session of its own, nothing on stdin, both
// outputs appended to logFile (mode 0600), "/" as its working directory so that it keeps no folder busy. env is merged over
// ours. The service is in no registry: neither Close nor Reap ends it. If it ends before us, it leaves no zombie.
func StartDetached(path string, args, env []string, logFile string) (pid int, err error) {
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
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, startError(Cmd{Name: path}, err)
	}
	// Nobody waits for this goroutine: it ends with the service or with us.
	go func() { _ = cmd.Wait() }()
	return cmd.Process.Pid, nil
}
