package attack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestLogsOfServicesAreBounded: a log that has grown too large is moved aside by its daemon, and by the virtual service, with the
// next thing it says; one older log is kept.
func TestLogsOfServicesAreBounded(t *testing.T) {
	v := newVictim(t)
	v.must("boot", "--sim", "iPhone 16")
	for _, name := range []string{"run/daemon.log", "virtual/service.log"} {
		log := filepath.Join(v.home, name)
		f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Repeat([]byte("a line\n"), 2<<20)); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	v.must("daemon", "stop")
	v.must("virtual", "stop")
	v.must("list-sims")
	for _, name := range []string{"run/daemon.log", "virtual/service.log"} {
		for _, path := range []string{name, name + ".1"} {
			if info, err := os.Stat(filepath.Join(v.home, path)); err != nil || info.Size() > 8<<20 || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", path, info, err)
			}
		}
	}
}
