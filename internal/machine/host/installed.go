package host

import "os/exec"

// Installed reports whether a program is there: by its path, or by its name through PATH.
func Installed(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
