package script

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
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

// TestReadOnlyHomeIsReportedWithFix: a home that may not be written is named with the command that mends it; what is possible works
// meanwhile, and the commands do mend it.
func TestReadOnlyHomeIsReportedWithFix(t *testing.T) {
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
