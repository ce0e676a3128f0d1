package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProductRecoversFromFullDisk: on a full disk everything works or names the disk, says truly whether an input was sent, and promises
// nothing that is not kept. When there is space again everything works, without a restart.
func TestProductRecoversFromFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("a full disk", func(t *testing.T) {
		disk := mounted(t, "size=192m")
		r := newRigIn(t, filepath.Join(disk, "home"))
		ballast := filepath.Join(disk, "ballast")
		fullDisk(r, func() { fillUp(t, ballast) }, func() { os.Remove(ballast) })
		fillUp(t, ballast)
		r.run("daemon", "stop")
		a := r.ask("pool", "list")
		namesDisk(t, "starting a daemon", a)
		os.Remove(ballast)
		r.do("pool", "list")
	})
	t.Run("files may not grow", func(t *testing.T) { // works wherever there is a process; the daemon's only
		r := newRig(t)
		pid := r.pid()
		var old unix.Rlimit
		limit := func(most uint64) {
			if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: old.Max}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &old); err != nil {
			t.Fatal(err)
		}
		fullDisk(r, func() { limit(0) }, func() { limit(old.Max) })
	})
}

// mounted is a disk of its own. Where there can be none, the test says so.
func mounted(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Skipf("no disk can be mounted here: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fillUp writes to a file until there is no space.
func fillUp(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4096); err == nil; _, err = f.Write(block) {
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// namesDisk wants an answer that worked, or that says which file the disk did not take and what helps.
func namesDisk(t *testing.T, what string, a answered) {
	t.Helper()
	full := strings.Contains(a.Error.Message, "no space left on device") || strings.Contains(a.Error.Message, "file too large")
	disk := slices.Contains([]string{"STATE_FAILED", "DISK_FULL"}, a.Error.Code) && strings.Contains(a.Error.Hint, "df -h") &&
		a.Error.Details["path"] != nil
	unknown := a.Error.Code == "OUTCOME_UNKNOWN" && a.Error.Dispatched == "unknown"
	if a.Error.Code != "" && (!full || !disk && !unknown) {
		t.Errorf("%s: %+v", what, a.Error)
	}
}

func fullDisk(r *rig, fill, free func()) {
	t := r.t
	r.shop("ada", "iPhone 16")
	daemon, before := r.pid(), r.cart("ada")
	fill()
	for name, args := range map[string][]string{
		"claim": {"pool", "claim", "--name", "iPhone 15", "--session", "bob"}, "ensure": {"pool", "ensure", "2", "--session", "eve"},
		"boot": {"boot", "--sim", "iPhone 15", "--session", "cyd"}, "list": {"list-sims"}, "release": {"pool", "release", "--session", "ada"},
		"launch": {"launch", "com.iosagent.conformance", "--session", "bob"}, "snapshot": {"snapshot", "--session", "ada"},
		"doctor": {"doctor"}, "screenshot": {"screenshot", "--session", "ada", "--out", filepath.Join(r.home, "x.png")},
		"log": {"pool", "log"}, "pool": {"pool", "list"},
	} {
		a := r.ask(args...)
		if namesDisk(t, name, a); slices.Contains([]string{"claim", "ensure", "release"}, name) && a.Error.Code == "" {
			t.Errorf("%s works, and cannot be kept", name)
		}
	}
	tap := r.ask("tap", "--identifier", "add-coffee", "--session", "ada")
	namesDisk(t, "tap", tap)
	free()
	if now := r.pid(); now != daemon {
		t.Errorf("the daemon %d is gone; now it is %d", daemon, now)
	}
	if sent := r.cart("ada") - before; sent > 1 || sent == 1 && tap.Error.Dispatched == "no" || sent == 0 && tap.Error.Code == "" {
		t.Errorf("%d taps arrived, and the answer was %+v", sent, tap.Error)
	}
	r.do("pool", "claim", "--name", "iPhone 15", "--session", "bob")
	before = r.cart("ada")
	if r.do("tap", "--identifier", "add-coffee", "--session", "ada"); r.cart("ada") != before+1 {
		t.Error("a tap did nothing, or too much")
	}
	r.run("daemon", "stop")
	if got, want := fmt.Sprint(r.holders()), "map[iPhone 15:bob iPhone 16:ada]"; got != want {
		t.Errorf("the next daemon knows %s, not %s", got, want)
	}
}

// bePlain takes from this test, and what it starts, the right of root to write what may not be written.
func bePlain(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	runtime.LockOSThread() // for ever: the thread ends with the test
	for _, right := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVerifyMacPageWithoutDisk: a disk without space stops the run before it begins, and the file goes where there is space.
func TestVerifyMacPageWithoutDisk(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	temporary := t.TempDir()
	disk := mounted(t, "size=1m")
	fillUp(t, filepath.Join(disk, "ballast"))
	out, code := v.run([]string{"-home", v.home, "-out", disk}, "TMPDIR="+temporary)
	v.has(out, code, 2, "missing disk", "do: free 5 GB of disk space", "Attach this file to an issue: "+temporary)
	v.mustBeClear()
	out, code = v.run([]string{"-home", v.home, "-out", disk}, "TMPDIR="+disk)
	v.has(out, code, 2, "missing disk", "The file cannot be written: ", "no space left on device", "name another folder with --out")
}
