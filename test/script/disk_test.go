package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// answered is what a command line said.
type answered struct {
	Result json.RawMessage
	Error  struct {
		Code, Message, Hint, Dispatched string
		Details                         map[string]any
	}
}

// ask runs a command line and gives its answer, whatever it is.
func (r *rig) ask(args ...string) (a answered) {
	r.t.Helper()
	out, code := r.run(append(args, "--json")...)
	if err := json.Unmarshal(out, &a); err != nil || (code == 0) != (a.Error.Code == "") {
		r.t.Fatalf("%v: exit %d, %v\n%s", args, code, err, out)
	}
	return a
}

// do is ask for what has to work.
func (r *rig) do(args ...string) answered {
	r.t.Helper()
	a := r.ask(args...)
	if a.Error.Code != "" {
		r.t.Fatalf("%v: %+v", args, a.Error)
	}
	return a
}

// cart reads how many things are in the shop's cart.
func (r *rig) cart(session string) int {
	r.t.Helper()
	out, _ := r.run("snapshot", "--session", session)
	count := regexp.MustCompile(`"Cart: (\d+)"`).FindSubmatch(out)
	if count == nil {
		r.t.Fatalf("there is no cart:\n%s", out)
	}
	n, _ := strconv.Atoi(string(count[1]))
	return n
}

// shop claims a booted device for a session and opens the shop on it.
func (r *rig) shop(session, device string) {
	r.t.Helper()
	r.do("pool", "resolve", "--name", device, "--auto-boot", "--session", session)
	r.do("launch", "com.iosagent.shop", "--session", session)
	r.do("tap", "--identifier", "guest-button", "--session", session)
}

// pid is the daemon's process.
func (r *rig) pid() int {
	r.t.Helper()
	var status struct{ PID int }
	if err := json.Unmarshal(r.do("daemon", "status").Result, &status); err != nil || status.PID == 0 {
		r.t.Fatal(err, status)
	}
	return status.PID
}

// holders are the devices that are claimed, with their holders.
func (r *rig) holders() map[string]string {
	r.t.Helper()
	var list struct {
		Devices []struct {
			Name   string
			Holder string `json:"claimed_by"`
		}
	}
	if err := json.Unmarshal(r.do("pool", "list", "--claimed", "claimed").Result, &list); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range list.Devices {
		out[d.Name] = d.Holder
	}
	return out
}

// TestFullDisk: on a full disk everything works or names the disk, says truly whether an input was sent, and promises nothing that
// is not kept. When there is space again everything works, without a restart.
func TestFullDisk(t *testing.T) {
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

// TestReadOnlyHome: a home that may not be written is named with the command that mends it; what is possible works meanwhile, and
// the commands do mend it.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	bePlain(t)
	r := newRig(t)
	r.shop("ada", "iPhone 16")
	before := r.cart("ada")
	closeFolders(t, r.home)
	t.Cleanup(func() { openFolders(t, r.home) }) // else nobody could remove it
	if tap := r.ask("tap", "--identifier", "add-coffee", "--session", "ada"); mends(t, "tap", tap) != "" && tap.Error.Dispatched == "" {
		t.Errorf("was it sent? %+v", tap.Error)
	}
	if sent := r.cart("ada") - before; sent > 1 {
		t.Errorf("%d taps arrived", sent)
	}
	for name, args := range map[string][]string{
		"list": {"list-sims"}, "claim": {"pool", "claim", "--name", "iPhone 15", "--session", "bob"}, "doctor": {"doctor"},
		"boot": {"boot", "--sim", "iPhone 14", "--session", "cyd"},
	} {
		mends(t, name, r.ask(args...))
	}
	r.run("daemon", "stop")
	const most = 10 // folders, one after the other
	for range most {
		a := r.ask("tap", "--identifier", "add-coffee", "--session", "ada")
		command := mends(t, "without a daemon", a)
		if command == "" {
			if got := r.holders()["iPhone 16"]; got != "ada" {
				t.Errorf("%q has ada's device", got)
			}
			return
		}
		if a.Error.Dispatched != "no" {
			t.Errorf("nothing was sent: %+v", a.Error)
		}
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	t.Errorf("%d commands did not mend it", most)
}

// mends wants an answer that worked, or that names a folder and the command that mends it.
func mends(t *testing.T, what string, a answered) (command string) {
	t.Helper()
	if a.Error.Code == "" {
		return ""
	}
	found := regexp.MustCompile("`(chmod -R u\\+rwX \"[^\"]+\")`").FindStringSubmatch(a.Error.Hint)
	if found == nil || a.Error.Details["path"] == nil {
		t.Fatalf("%s: %+v", what, a.Error)
	}
	return found[1]
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

// closeFolders lets nobody write to the folders of a home. The virtual world has a disk of its own, so to speak.
func closeFolders(t *testing.T, home string) { chmodFolders(t, home, 0o500) }

func openFolders(t *testing.T, home string) { chmodFolders(t, home, 0o700) }

func chmodFolders(t *testing.T, home string, mode fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "virtual":
			return fs.SkipDir
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Error(err)
	}
}
