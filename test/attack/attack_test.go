// Package attack tests that a second user of the machine cannot attack the first user's ios-agent. It runs real processes of two users on a
// real file system. Neither user is root, but the tests need root to start processes as each of them: `make attack`.
package attack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The two users. They need no entry in the list of users.
const (
	victimID   = 64001
	attackerID = 64002
)

// secret is what the victim types.
const secret = "attack-canary-7314"

// tools is a folder that both users can execute programs from: ios-agent, and this test's own program as attacker.
var tools string

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "attack-tools")
	if err == nil {
		defer os.RemoveAll(dir)
		tools = dir
		err = makeTools(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func makeTools(dir string) error {
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "ios-agent"), "ios-agent/cmd/ios-agent").CombinedOutput(); err != nil {
		return fmt.Errorf("building ios-agent: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "attacker"), raw, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755)
}

// needRoot skips a test that needs two other users where there can be none.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become the two other users that this test is about")
	}
}

// user starts programs as one of the users; as ourselves where we cannot become him.
func user(id int) *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id), NoSetGroups: false}}
}

// victim is a user with a daemon.
type victim struct {
	t    *testing.T
	dir  string // everybody can enter it and make files in it, as in /tmp
	home string // of ios-agent
	env  []string
}

// newVictim gives a user a folder of his own, a home in it that is not made yet, and a umask that closes nothing.
func newVictim(t *testing.T, more ...string) *victim {
	t.Helper()
	dir, err := os.MkdirTemp("", "attack") // short: a socket's path may have 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{t: t, dir: dir, home: filepath.Join(dir, "user", ".ios-agent")}
	own := filepath.Dir(v.home)
	for _, err := range []error{os.Chmod(dir, 0o777|os.ModeSticky), os.Mkdir(own, 0o755), os.Chmod(own, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(own, victimID, victimID); err != nil {
			t.Fatal(err)
		}
	}
	v.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + own, "TMPDIR=" + dir, "IOS_AGENT_HOME=" + v.home, "IOS_AGENT_TOOLCHAIN=virtual",
		"IOS_AGENT_VIRTUAL_TIME=request", "IOS_AGENT_PREWARM=off", "IOS_AGENT_SECRET_SHOP=" + secret,
	}, more...)
	t.Cleanup(func() {
		v.run("daemon", "stop")
		v.run("virtual", "stop")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return v
}

type said struct {
	stdout, stderr string
	exit           int
}

// run runs ios-agent as the victim.
func (v *victim) run(args ...string) said {
	v.t.Helper()
	cmd := exec.Command("sh", append([]string{"-c", `umask 0; exec "$0" "$@"`, filepath.Join(tools, "ios-agent")}, args...)...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = v.env, filepath.Dir(v.home), user(victimID)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		v.t.Fatal(err)
	}
	return said{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (v *victim) must(args ...string) string {
	v.t.Helper()
	s := v.run(args...)
	if s.exit != 0 {
		v.t.Fatalf("ios-agent %s: exit %d\n%s%s", strings.Join(args, " "), s.exit, s.stdout, s.stderr)
	}
	return s.stdout
}

// refused wants a fault whose hint has the command that mends it.
func (v *victim) refused(command string, args ...string) {
	v.t.Helper()
	s := v.run(append(args, "--json")...)
	var e struct {
		Error struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal([]byte(s.stdout), &e); err != nil || s.exit == 0 || !strings.Contains(e.Error.Message+e.Error.Hint, command) {
		v.t.Errorf("ios-agent %s: exit %d, not refused with %q\n%s%s", strings.Join(args, " "), s.exit, command, s.stdout, s.stderr)
	}
}

// status is what `daemon status` tells.
type status struct {
	PID     int
	Calls   int
	URL     string
	KeyFile string `json:"key_file"`
}

func (v *victim) status() status {
	v.t.Helper()
	var e struct{ Result status }
	if err := json.Unmarshal([]byte(v.must("daemon", "start", "--json")), &e); err != nil || e.Result.PID == 0 {
		v.t.Fatalf("%+v %v", e, err)
	}
	return e.Result
}

func (v *victim) key() string {
	v.t.Helper()
	raw, err := os.ReadFile(filepath.Join(v.home, "key"))
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// use lets the product write all that it writes: a booted device, an agent, a claim, a capture, pictures, a build, an event.
func (v *victim) use() {
	v.t.Helper()
	for _, line := range []string{
		"boot --sim|iPhone 16", "launch|com.iosagent.shop", "snapshot", "pool claim --name|iPhone 16", "screenshot --out|shot.png",
		"fill --identifier|email-field|$SECRET:shop", "start-sim-log-cap --bundle-id|com.iosagent.shop|--simulator-name|iPhone 16",
		"virtual project app|project", "doctor",
		"build-sim --project-path|project/Tally.xcodeproj|--scheme|Tally|--simulator-name|iPhone 16",
	} {
		before, after, _ := strings.Cut(line, "|")
		args := strings.Fields(before)
		if after != "" {
			args = append(args, strings.Split(after, "|")...)
		}
		v.must(args...)
	}
}

// paths are all files and folders below a folder.
func paths(t *testing.T, root string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			all = append(all, path)
		}
		return nil // it was removed in the meantime
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// attacker is a program of the other user that plays a role until it is told to end.
type attacker struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *lines
}
