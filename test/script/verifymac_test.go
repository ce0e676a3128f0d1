package script

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const verifyScript = "../../scripts/verify-mac"

// TestVerifyMacNeedsAMac makes sure that the script says what it needs, and does nothing, where that is missing.
func TestVerifyMacNeedsAMac(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("here it would drive a simulator")
	}
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "need macOS and Xcode"},
		{[]string{"--replay", "no-such-file"}, "missing file no-such-file"},
		{[]string{"--nonsense"}, "usage: "},
	} {
		out, code := newVerify(t).run(c.args, "IOS_AGENT_TOOLCHAIN=", "IOS_AGENT_VIRTUAL_PROFILE=")
		if code != 2 || !strings.Contains(out, c.says) {
			t.Errorf("verify-mac %q: %d, %s", c.args, code, out)
		}
	}
}

// verify is one home in which the run is tried.
type verify struct {
	t         *testing.T
	home, out string
	env       []string
}

func newVerify(t *testing.T) *verify {
	t.Helper()
	if testing.Short() {
		t.Skip("a run of verify-mac takes long")
	}
	v := &verify{t: t, home: filepath.Join(t.TempDir(), "home"), out: t.TempDir()}
	if err := copied.put(v.home); err != nil {
		t.Fatal(err)
	}
	v.env = append(os.Environ(), "IOS_AGENT_HOME="+v.home, "IOS_AGENT_TOOLCHAIN=virtual", "IOS_AGENT_VIRTUAL_TIME=request")
	t.Cleanup(func() {
		v.agent("virtual", "stop")
		for _, p := range processesOf(v.home) {
			t.Errorf("left behind: %s", p)
		}
	})
	return v
}

// agent runs ios-agent in the home.
func (v *verify) agent(args ...string) string {
	v.t.Helper()
	return v.program(filepath.Join(bin, "ios-agent"), args...)
}

func (v *verify) program(name string, args ...string) string {
	v.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = v.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		v.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// built is the program behind the script, built once.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(bin, "verifymac")
	out, err := exec.Command("go", "build", "-o", path, "ios-agent/test/verifymac").CombinedOutput()
	if err != nil {
		err = errors.Join(err, errors.New(string(out)))
	}
	return path, err
})

// command is the program, with the binary that all tests here use.
func (v *verify) command(args []string, env ...string) *exec.Cmd {
	v.t.Helper()
	path, err := built()
	if err != nil {
		v.t.Fatal(err)
	}
	work := filepath.Join(v.t.TempDir(), "work")
	sdk, err := filepath.Abs(sdkFolder)
	if err != nil {
		v.t.Fatal(err)
	}
	ours := []string{"-agent", filepath.Join(bin, "ios-agent"), "-work", work, "-sdk", sdk}
	cmd := exec.CommandContext(v.t.Context(), path, append(ours, args...)...)
	cmd.Env = append(v.env, env...)
	v.t.Cleanup(func() {
		if _, err := os.Lstat(work); err == nil {
			v.t.Error("the working folder is left")
		}
	})
	return cmd
}

func (v *verify) run(args []string, env ...string) (out string, code int) {
	v.t.Helper()
	return v.finish(v.command(args, env...))
}

func (v *verify) finish(cmd *exec.Cmd) (string, int) {
	v.t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		v.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// drive is a whole run, which keeps its world in the home.
func (v *verify) drive(env ...string) (out string, code int) {
	v.t.Helper()
	return v.run([]string{"-home", v.home, "-out", v.out}, env...)
}

// file is the one that the run wrote.
func (v *verify) file() string {
	v.t.Helper()
	files, err := filepath.Glob(filepath.Join(v.out, "verify-mac-*.tar.gz"))
	if err != nil || len(files) != 1 {
		v.t.Fatalf("%q, %v", files, err)
	}
	return files[0]
}

// mustBeClear fails when a simulator of the run is left.
func (v *verify) mustBeClear() {
	v.t.Helper()
	xcrun := filepath.Join(strings.TrimSpace(v.agent("virtual", "path")), "xcrun")
	if list := v.program(xcrun, "simctl", "list", "devices"); strings.Contains(list, "ios-agent verify") || !strings.Contains(list, "iPhone") {
		v.t.Errorf("a simulator is left:\n%s", list)
	}
}

// TestVerifyMacScriptPassesAndReplays is the script itself: everything holds, and the file replays. A frame of the talk that was changed is
// found.
func TestVerifyMacScriptPassesAndReplays(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	cmd := exec.CommandContext(t.Context(), verifyScript, "--home", v.home, "--out", v.out)
	cmd.Env = v.env
	out, code := v.finish(cmd)
	if code != 0 || !strings.Contains(out, " 0 fail, 26 were not tried; ") || !strings.Contains(out, v.file()) {
		t.Fatalf("%d: %s", code, out)
	}
	v.mustBeClear()
	file := v.file()
	if out, code := v.run([]string{"--replay", file}, "IOS_AGENT_TOOLCHAIN="); code != 0 || !strings.Contains(out, "100 of 100 replay alike") {
		t.Errorf("replay: %d, %s", code, out)
	}
	mac := filepath.Join(t.TempDir(), "mac.tar.gz") // the same from a Mac: its folder for temporary files has another name
	rewrite(t, file, mac, func(name string, content []byte) []byte {
		if strings.Contains(name, "/transcripts/") {
			for _, end := range []string{"/", `"`} {
				content = bytes.ReplaceAll(content, []byte(filepath.Clean(os.TempDir())+end), []byte("/var/folders/ab/c1_2/T"+end))
			}
		}
		return content
	})
	if out, code := v.run([]string{"--replay", mac}, "IOS_AGENT_TOOLCHAIN="); code != 0 || !strings.Contains(out, "100 of 100 replay alike") {
		t.Errorf("replay of a file with a Mac's folders: %d, %s", code, out)
	}
	if out, code := v.run([]string{"--talk", file}); code != 0 || !strings.Contains(out, "→ Act TypeText {\"Text\":\"•••••••••\"}") {
		t.Errorf("talk: %d, %s", code, out)
	}
	changed := filepath.Join(t.TempDir(), "changed.tar.gz")
	rewrite(t, file, changed, func(name string, content []byte) []byte {
		if strings.HasSuffix(name, "agent-talk.ndjson") {
			content = bytes.Replace(content, []byte(`"name":"Look"`), []byte(`"name":"Hook"`), 1)
		}
		return content
	})
	if out, code := v.run([]string{"--replay", changed}); code != 1 || !strings.Contains(out, " is read as Look") {
		t.Errorf("replay of what was changed: %d, %s", code, out)
	}
}

// rewrite copies a file of a run, with other contents.
func rewrite(t *testing.T, from, to string, change func(name string, content []byte) []byte) {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzip); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		content, readErr := io.ReadAll(r)
		if err = errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		content = change(h.Name, content)
		h.Size = int64(len(content))
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close(), os.WriteFile(to, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestVerifyMacPassesInRealMacProfile is the run in the world that is as unkind as a real Mac.
func TestVerifyMacPassesInRealMacProfile(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	out, code := v.drive("IOS_AGENT_VIRTUAL_PROFILE=real-mac", "IOS_AGENT_TOOLCHAIN=", "IOS_AGENT_VIRTUAL_TIME=")
	if code != 0 || !strings.Contains(out, " 0 fail, 26 were not tried; ") {
		t.Errorf("%d: %s", code, out)
	}
	v.mustBeClear()
	if profile := v.agent("virtual", "profile"); !strings.Contains(profile, "real-mac") {
		t.Errorf("the world was kind: %s", profile)
	}
}

// has fails for each text that is missing in what a run printed, and for another exit code.
func (v *verify) has(out string, code, want int, texts ...string) {
	v.t.Helper()
	if code != want {
		v.t.Errorf("exit %d, want %d", code, want)
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			v.t.Errorf("no %q in\n%s", text, out)
		}
	}
}

// contents is the list of the contents of the file.
func (v *verify) contents() (text string) {
	v.t.Helper()
	rewrite(v.t, v.file(), filepath.Join(v.t.TempDir(), "copy"), func(name string, content []byte) []byte {
		if strings.HasSuffix(name, "/contents.txt") {
			text = string(content)
		}
		return content
	})
	return text
}

// TestVerifyMacContinuesAfterFailedStep: a step that fails is on the page with what it breaks and where to look, and the others are taken.
// A replay of the file has the same fault.
func TestVerifyMacContinuesAfterFailedStep(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	v.agent("virtual", "fault", "add", "no-op-type", "--times", "forever")
	v.agent("virtual", "fault", "add", "app-crash-on-tap", "--after", "1")
	out, code := v.drive()
	v.has(out, code, 1, "\nshutdown            holds ", "\nWhat does not hold\n  ", "\n  fill: exit ", "\n  double-tap: exit 1 ",
		"      would break: text does not arrive in fields", "      look at:     steps/", "pictures/")
	v.mustBeClear()
	contents := v.contents()
	v.has(contents, 0, 0, "  page.txt\n", "  logs/daemon.log\n", "  crashes/Tour-", "-fill.png\n", "  talk.txt\n")
	out, code = v.run([]string{"--replay", v.file()})
	v.has(out, code, 0, "alike     fill, which fails: exit ", "alike     double-tap, which fails: exit 1 instead of 0: APP_ENDED")
}

// TestVerifyMacSkipsStepsWithoutAgent: what cannot be tried is told as that, and not as forty failures. The file has what xcodebuild left.
func TestVerifyMacSkipsStepsWithoutAgent(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	v.agent("virtual", "fault", "add", "agent-exits-early", "--times", "forever")
	out, code := v.drive()
	v.has(out, code, 1, " 1 fail, ", "\nagent-start         FAILS ", "agent-start does not hold\n",
		"\nmaps-picture        holds ", "\ntour-run            holds ",
		"would break: no screen is seen")
	v.mustBeClear()
	v.has(v.contents(), 0, 0, "  logs/daemon.log\n", "  logs/agent/xcodebuild-")
	out, code = v.run([]string{"--replay", v.file()})
	v.has(out, code, 0, "alike     agent-start, which fails: exit ")
}

// TestVerifyMacReportsMissingSetupFirst: what a person has to do is said, all of it at once, and nothing was made. There is a page and a
// file all the same.
func TestVerifyMacReportsMissingSetupFirst(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	out, code := v.drive("IOS_AGENT_VIRTUAL_MISSING=licence first-launch")
	v.has(out, code, 2, "missing licence", "do: agree to Xcode's licence: sudo xcodebuild -license accept", "missing components",
		"-runFirstLaunch", "ready   runtime", "\nWhat to do first\n", ": 0 of 133 steps hold, 0 fail, 133 were not tried;",
		"\n      to enable: agree to Xcode's licence", "Attach this file")
	v.mustBeClear()
	v.has(v.contents(), 0, 0, "  page.txt\n")
}

// TestVerifyMacPageWithoutSimulator: the parts without a simulator are tried, and the others have the command that brings one.
func TestVerifyMacPageWithoutSimulator(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	v.agent("virtual", "fault", "add", "simctl-garbage", "--times", "forever")
	out, code := v.drive()
	v.has(out, code, 2, "missing runtime", "\n      to enable: download an iOS simulator: xcodebuild -downloadPlatform iOS", "agent-build",
		"Attach this file")
	v.has(v.contents(), 0, 0, "  page.txt\n")
}

// TestVerifyMacPageAfterFailedCreate: a simulator that cannot be made is one failed step, and not the end of the page.
func TestVerifyMacPageAfterFailedCreate(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	v.agent("virtual", "fault", "add", "simctl-connection-invalid", "--after", "1") // the first run lists the runtimes
	out, code := v.run([]string{"-home", v.home, "-out", v.out, "--only", "alert"})
	v.has(out, code, 1, ": 0 of 9 steps hold, 1 fail, 8 were not tried;", "\n  create: exit ", "\n  create does not hold\n",
		"Attach this file")
	v.mustBeClear()
	v.has(v.contents(), 0, 0, "  page.txt\n", "  steps/001-create.json\n", "  checks/")
}

// TestVerifyMacPageWithoutPermission: desktop apps are not tried, and the page has the pane in which a person allows it.
func TestVerifyMacPageWithoutPermission(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	out, code := v.run([]string{"-home", v.home, "-out", v.out, "--only", "desktop"}, "IOS_AGENT_VIRTUAL_MISSING=accessibility")
	v.has(out, code, 0, "advice  accessibility", "\nWhat to do first\n", ": 0 of 18 steps hold, 0 fail, 18 were not tried;",
		"to enable: open \"x-apple.systempreferences:com.apple.preference.security?Privacy_Accessibility\"", "Attach this file")
}

// TestVerifyMacOnlyTakesNamedParts: a part comes with the steps that it needs, and an unknown one with the names of all.
func TestVerifyMacOnlyTakesNamedParts(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	out, code := v.run([]string{"-home", v.home, "-out", v.out, "--only", "alert"})
	v.has(out, code, 0, ": 9 of 9 steps hold, ", "\nalert-answered      holds ", "\ntour-run            holds ")
	v.mustBeClear()
	out, code = v.run([]string{"-home", v.home, "-out", v.out, "--only", "alarm"})
	v.has(out, code, 2, `unknown part "alarm": the parts are tools, agent, see, touch, type, list, alert,`)
}

// TestVerifyMacDrivesCabledDevice: a physical device is driven when a person names it, and not before a team signs the agent.
func TestVerifyMacDrivesCabledDevice(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	const phone = "00008140-000A61C23E04801C"
	args := []string{"-home", v.home, "-out", v.out, "--only", "cable", "--device", phone}
	out, code := v.run(args)
	v.has(out, code, 0, "no team signs the agent", "to enable: export IOS_AGENT_TEAM=TEAM, then: scripts/verify-mac --device "+phone)
	v.out = t.TempDir()
	args[3] = v.out
	out, code = v.run(args, "IOS_AGENT_TEAM=ABCDE12345")
	v.has(out, code, 0, ": 8 of 8 steps hold, ")
}

// TestVerifyMacCleansUpAfterInterrupt: ctrl-C in the middle of a step ends the run, deletes the simulator, and keeps what there is.
func TestVerifyMacCleansUpAfterInterrupt(t *testing.T) {
	t.Parallel()
	v := newVerify(t)
	v.agent("virtual", "fault", "add", "agent-never-ready", "--times", "forever")
	cmd := v.command([]string{"-home", v.home, "-out", v.out})
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		out.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "prepare             holds ") { // the next step never ends by itself
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "It was interrupted") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
	v.mustBeClear()
	if info, err := os.Stat(v.file()); err != nil || info.Size() == 0 {
		t.Error(err)
	}
}
