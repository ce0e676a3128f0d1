package ops

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/op"
)

// probeTimeout is for one question to one tool.
const probeTimeout = 20 * time.Second

// probe is a program whose presence is checked by asking it something.
type probe struct {
	name    string
	program string   // looked for through PATH, unless it is one of Apple's
	apples  bool     //
	args    []string // whose first line of output is shown
	missing string   // fail or warn
	without string   // what does not work without it
}

// probes are the programs beyond xcodebuild, which has a check of its own.
func probes() []probe {
	return []probe{
		{"xcode-path", "xcode-select", true, []string{"-p"}, "warn", "which Xcode is in use is not known"},
		{"simctl", "xcrun", true, []string{"--find", "simctl"}, "fail", "simulators cannot be used; install Xcode, not only the command line tools"},
		{"devicectl", "xcrun", true, []string{"devicectl", "--version"}, "warn", "physical devices cannot be used; it comes with Xcode 15"},
		{"axe", "axe", true, []string{"--version"}, "warn", "nothing of ours needs it"},
		{"idb", "idb", true, []string{"--help"}, "warn", "nothing of ours needs it"},
		{"swift", "swift", false, []string{"--version"}, "warn", "the swift_package tools cannot work; it comes with Xcode or from swift.org"},
		{"node", "node", false, []string{"--version"}, "warn", "only peers written for it need it"},
	}
}

// programs asks every program at once: each answers in its own time.
func (s *system) programs(ctx context.Context) []Check {
	all := probes()
	checks := make([]Check, len(all))
	var asking sync.WaitGroup
	for i, p := range all {
		asking.Go(func() { checks[i] = s.ask(ctx, p) })
	}
	asking.Wait()
	return append(checks, s.front(ctx))
}

func (s *system) ask(ctx context.Context, p probe) Check {
	program := p.program
	if p.apples {
		program = s.parts.Tools.Tool(program)
	}
	res, err := s.parts.Run.Run(ctx, host.Cmd{Name: program, Args: p.args, Timeout: probeTimeout})
	if err != nil {
		return Check{p.name, p.missing, fmt.Sprintf("does not answer: %v", err), p.without}
	}
	answer, _, _ := strings.Cut(strings.TrimSpace(string(res.Stdout)+string(res.Stderr)), "\n")
	return Check{p.name, "ok", answer, ""}
}

// front looks for the program that shows simulators. Xcode 27 has Device Hub for it; which one is there is looked up, not
// concluded from a version.
func (s *system) front(ctx context.Context) Check {
	const name = "front"
	if s.parts.Tools.Name == apple.Virtual {
		return Check{name, "ok", "virtual simulators have no window; screenshot shows them", ""}
	}
	res, err := s.parts.Run.Run(ctx, host.Cmd{Name: s.parts.Tools.Tool("xcode-select"), Args: []string{"-p"}, Timeout: probeTimeout})
	if err != nil {
		return Check{name, "warn", fmt.Sprintf("not known: %v", err), "open_sim may not work"}
	}
	return frontOf(strings.TrimSpace(string(res.Stdout)))
}

// frontOf looks below a developer folder.
func frontOf(developer string) Check {
	const name = "front"
	for _, app := range []string{"Applications/Simulator.app", "Applications/DeviceHub.app", "../Applications/DeviceHub.app"} {
		path := filepath.Join(developer, app)
		if _, err := os.Stat(path); err == nil {
			return Check{name, "ok", path, ""}
		}
	}
	return Check{name, "warn", "neither Simulator.app nor DeviceHub.app is below " + developer, "simulators work without a window; open_sim does not"}
}

// XcodeDoctorIn says what to show.
type XcodeDoctorIn struct {
	Enabled bool `json:"enabled,omitempty" doc:"has no effect; XcodeBuildMCP takes it too" cli:"-"`
	Plain   bool `json:"nonRedacted,omitempty" doc:"show paths, names and values as they are; without it the user's are hidden"`
}

// XcodeDoctorOut is XcodeBuildMCP's report: what was checked, on what machine, in what environment.
type XcodeDoctorOut struct {
	Healthy bool              `json:"healthy"`
	Checks  []Check           `json:"checks"`
	System  map[string]string `json:"system"`
	Env     map[string]string `json:"environment"`
	Tools   map[string]int    `json:"tools"` // how many each group has
	Works   []string          `json:"works"`
	Lacks   []string          `json:"lacks"`
}

// Text is the report.
func (o XcodeDoctorOut) Text() string {
	lines := []string{DoctorOut{Healthy: o.Healthy, Checks: o.Checks}.Text(), "works: " + strings.Join(o.Works, ", ")}
	if len(o.Lacks) > 0 {
		lines = append(lines, "missing: "+strings.Join(o.Lacks, ", "))
	}
	for _, table := range []struct {
		title string
		rows  map[string]string
	}{{"system", o.System}, {"environment", o.Env}} {
		lines = append(lines, table.title+":")
		for _, key := range slices.Sorted(maps.Keys(table.rows)) {
			lines = append(lines, "  "+key+": "+table.rows[key])
		}
	}
	count := 0
	for _, n := range o.Tools {
		count += n
	}
	return strings.Join(append(lines, fmt.Sprintf("tools: %d places in %d groups", count, len(o.Tools))), "\n")
}

// features are what works when a check does.
var features = []struct{ feature, check string }{
	{"building and testing", "toolchain"}, {"simulators", "devices"}, {"ui automation", "agent"}, {"physical devices", "devicectl"}, {"swift packages", "swift"},
}

// xcodeDoctor is the doctor in XcodeBuildMCP's shape; family are the tools it counts.
func (s *system) xcodeDoctor(family func() []op.Op) op.Op {
	spec := tool("doctor", "Report on Xcode, the tools, this machine and its environment, and on what works with them", readOnly, "doctor")
	spec.Verb, spec.Timeout = "", time.Minute // the verb is core's
	return op.New(spec, func(ctx context.Context, c *op.Call, in XcodeDoctorIn) (XcodeDoctorOut, error) {
		report, err := s.doctor(ctx, c, DoctorIn{})
		if err != nil {
			return XcodeDoctorOut{}, err
		}
		out := XcodeDoctorOut{Healthy: report.Healthy, Checks: report.Checks, System: machine(), Env: surroundings(c.Env), Tools: map[string]int{}}
		for _, o := range family() {
			for _, g := range o.Groups {
				out.Tools[g]++
			}
		}
		for _, f := range features {
			i := slices.IndexFunc(out.Checks, func(c Check) bool { return c.Name == f.check })
			if i >= 0 && out.Checks[i].Status == "ok" {
				out.Works = append(out.Works, f.feature)
			} else {
				out.Lacks = append(out.Lacks, f.feature)
			}
		}
		if !in.Plain {
			out.redact()
		}
		return out, nil
	})
}

func machine() map[string]string {
	host, _ := os.Hostname()
	dir, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return map[string]string{
		"os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": fmt.Sprint(runtime.NumCPU()), "host": host, "user": name, "home": home, "tmp": os.TempDir(),
		"pid": fmt.Sprint(os.Getpid()), "dir": dir, "go": runtime.Version(),
	}
}

// surroundings are the variables that matter: the daemon's, and over them those that came with the call.
func surroundings(client map[string]string) map[string]string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if slices.Contains([]string{"PATH", "DEVELOPER_DIR", "HOME", "USER", "TMPDIR", "SHELL", "LANG"}, name) ||
			strings.HasPrefix(name, "IOS_AGENT_") || strings.HasPrefix(name, "XCODEBUILDMCP_") {
			env[name] = value
		}
	}
	maps.Copy(env, client)
	return env
}

var secretVariable = regexp.MustCompile(`(?i)token|secret|passw|key|credential|auth|cookie`)

// redact hides who and where the user is, and what may be secret: reports are pasted into public places.
func (o *XcodeDoctorOut) redact() {
	home, name, machine := o.System["home"], o.System["user"], o.System["host"]
	hide := func(text string) string {
		if len(home) > 1 {
			text = strings.ReplaceAll(text, home, "~")
		}
		for _, word := range []string{name, machine} {
			if len(word) > 2 {
				text = regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, "<hidden>")
			}
		}
		return text
	}
	for _, table := range []map[string]string{o.System, o.Env} {
		for key, value := range table {
			table[key] = hide(value)
			if secretVariable.MatchString(key) {
				table[key] = "<hidden>"
			}
		}
	}
	o.System["user"], o.System["host"] = "<hidden>", "<hidden>"
	for i := range o.Checks {
		o.Checks[i].Message, o.Checks[i].Hint = hide(o.Checks[i].Message), hide(o.Checks[i].Hint)
	}
}
