// Package system offers the operations on ios-agent itself: the doctor, health, the guide for agents, events, and the parser for output of
// other tools. System is its main type. Other packages add checks to the doctor through Deps.Checks.
package system

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/config"
	"ios-agent/internal/device"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/device/session"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/machine/self"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/xcode/debugger"
	"ios-agent/internal/xcode/toolcheck"
)

// Server is the daemon the operations run in.
type Server struct {
	PID       int
	URL       string
	Version   string
	Build     string
	StartedAt time.Time
}

// System reports on ios-agent and its machine.
type System struct{ d Deps }

// Deps are the services that the operations use.
type Deps struct {
	Pool      *pool.Pool
	Sessions  *session.Store
	Keys      config.Table // of the configuration
	Tools     *toolcheck.Checker
	Debuggers *debugger.Service
	Proxy     *proxy.Controller
	Home      string
	Server    Server
	Guide     func() string
	Catalogue func() *op.Catalogue
	Checks    []Checks // more checks for the doctor
}

// New makes the operations on the system.
func New(d Deps) *System { return &System{d} }

// Check is one check of the doctor.
type Check = device.Check

// Checks are the doctor's checks from another package.
type Checks func(context.Context, *op.Call) []Check

// Ops lists the operations on the system.
func (s *System) Ops() []op.Op {
	return []op.Op{
		op.New(op.Spec{
			Name: "doctor", Groups: []string{"system"}, Route: "GET /api/v1/doctor",
			Summary: "Check the requirements of ios-agent and say how to fix them",
			Hints:   op.ReadOnly | op.Idempotent, Timeout: time.Minute,
			Help: "With " + hint.Field("device") + " it checks one physical device instead: cable, trust, lock, Developer Mode, tunnel, " +
				"disk image, team, signing, agent.",
			Examples: []string{"doctor", "doctor --strict", "doctor --device 00008140-000A61C23E04801C"},
		}, s.Doctor),
		op.New(op.Spec{
			Name: "health", Groups: []string{"system"}, Verb: op.None, Route: "GET /health",
			REST:    op.REST{Also: []string{"GET /api/v1/health"}, Public: true},
			Summary: "Show that the server runs, its version and its tools", Hints: op.ReadOnly | op.Idempotent,
		}, s.health),
		op.New(op.Spec{
			Name: "ensure_server", Groups: []string{"system"}, Route: "GET /api/v1/server",
			Summary: "Start the server if needed and show its address", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"ensure-server"},
		}, s.ensure),
		op.New(op.Spec{
			Name: "guide", Groups: []string{"system"}, Route: "GET /api/v1/guide",
			Summary: "Explain how an agent works with ios-agent", Hints: op.ReadOnly | op.Idempotent,
			Examples: []string{"guide"},
		}, s.explain),
	}
}

// DoctorIn says how strict to be.
type DoctorIn struct {
	Strict bool   `json:"strict,omitempty" doc:"fail (exit 4) when a check fails"`
	Device string `json:"device,omitempty" doc:"check this physical device: udid or name"`
}

// DoctorOut is the result of all checks.
type DoctorOut struct {
	Healthy bool    `json:"healthy"`
	Checks  []Check `json:"checks"`

	strict   bool
	examined bool // one physical device was checked
}

// Text has a line for each check.
func (o DoctorOut) Text() string {
	lines := []string{"something is missing"}
	if o.Healthy {
		lines[0] = "healthy"
	}
	for _, c := range o.Checks {
		line := fmt.Sprintf("%-4s  %-10s %s", c.Status, c.Name, c.Message)
		if c.Hint != "" {
			line += "\n      hint: " + c.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Fault is a failed check, if the caller asked for a failure.
func (o DoctorOut) Fault() *fault.Fault {
	if o.strict && !o.Healthy {
		return fault.New(fault.ToolMissing, "a check failed").WithHint("the checks say what to fix")
	}
	return nil
}

// Refused reports whether a checked device is unusable. It sets the exit code for scripts that check one device.
func (o DoctorOut) Refused() bool { return o.examined && !o.Healthy }

// Doctor checks the requirements of ios-agent, or one physical device.
func (s *System) Doctor(ctx context.Context, c *op.Call, in DoctorIn) (DoctorOut, error) {
	out := DoctorOut{Healthy: true, strict: in.Strict}
	if in.Device != "" {
		out.examined = true
		err := s.examine(ctx, in.Device, &out)
		return out, err
	}
	for _, look := range []func(context.Context) Check{s.d.Tools.Xcode, s.simulators, s.agent, s.debugger, s.writable, s.daemon} {
		out.add(look(ctx))
	}
	for _, look := range s.d.Checks {
		out.add(look(ctx, c)...)
	}
	out.add(s.d.Tools.Programs(ctx)...)
	for _, mistake := range s.mistakes(c.Dir) {
		out.add(Check{Name: "config", Status: "warn", Message: mistake, Hint: "correct the file; wrong entries are ignored"})
	}
	return out, nil
}

// mistakes are the errors in the files of the client's project.
func (s *System) mistakes(dir string) []string {
	if dir == "" {
		return nil
	}
	project := config.ReadTools(dir, s.d.Keys)
	for _, set := range project.Sets {
		if !slices.Contains(op.Sets(s.d.Catalogue().Ops()), set) {
			project.Mistakes = append(project.Mistakes, fmt.Sprintf("%s: unknown tool set %.60q", config.KeyTools, set))
		}
	}
	return project.Mistakes
}

func (o *DoctorOut) add(checks ...device.Check) {
	for _, c := range checks {
		o.Checks = append(o.Checks, c)
		o.Healthy = o.Healthy && c.Status != device.CheckFail
	}
}

func (s *System) simulators(ctx context.Context) Check {
	infos, err := s.d.Pool.List(ctx)
	if err != nil {
		return Check{Name: "devices", Status: "fail", Message: fault.From(err).Message, Hint: fault.From(err).Hint}
	}
	simulators, booted := 0, 0
	for _, i := range infos {
		if i.Type != device.TypeSimulator {
			continue
		}
		simulators++
		if i.State == device.Booted {
			booted++
		}
	}
	said := fmt.Sprintf("%d simulators, %d booted, %d physical devices", simulators, booted, len(infos)-simulators)
	switch notice := s.d.Pool.Notice(); {
	case notice != "":
		return Check{Name: "devices", Status: "warn", Message: said + "; " + notice}
	case simulators == 0:
		return Check{Name: "devices", Status: "fail", Message: "no simulators", Hint: device.InstallRuntime}
	}
	return Check{Name: "devices", Status: "ok", Message: said}
}

// agent says whether the agent has been verified with real Xcode.
func (s *System) agent(context.Context) Check {
	if s.d.Tools.Virtual() {
		return Check{Name: "agent", Status: "ok", Message: "the virtual toolchain brings its own"}
	}
	return Check{Name: "agent", Status: "warn",
		Message: "it is built from the sources in this program at its first use; it is not verified on a Mac yet",
		Hint:    hint.Do("agent_build") + " builds it now; `make verify-mac` in the repository of ios-agent writes a report of what works"}
}

func (s *System) debugger(ctx context.Context) Check {
	path, through, err := s.d.Debuggers.Find(ctx)
	if err != nil {
		f := fault.From(err)
		return Check{Name: "debugger", Status: "warn", Message: f.Message, Hint: f.Hint}
	}
	if through != "" {
		path += ", through " + through
	}
	return Check{Name: "debugger", Status: "ok", Message: path}
}

func (s *System) writable(context.Context) Check {
	if err := outfile.Probe(s.d.Home); err != nil {
		return Check{Name: "home", Status: "fail", Message: err.Error(), Hint: "make the folder writable, or set IOS_AGENT_HOME"}
	}
	return Check{Name: "home", Status: "ok", Message: s.d.Home}
}

func (s *System) daemon(context.Context) Check {
	return Check{Name: "daemon", Status: "ok", Message: fmt.Sprintf("pid %d, build %.12s", s.d.Server.PID, s.d.Server.Build)}
}

// serverOut is the server's address. It leaves out the key: a user who may have it can read its file.
type serverOut struct {
	Status      string    `json:"status"`
	URL         string    `json:"server_url"`
	ProxyPort   int       `json:"proxy_port"`
	ProxyOn     bool      `json:"proxy_enabled"`
	ProxyStatus string    `json:"proxy_status"`
	StartedAt   time.Time `json:"started_at"`
	PID         int       `json:"pid"`
}

// Text is one line.
func (o serverOut) Text() string { return fmt.Sprintf("running at %s, pid %d", o.URL, o.PID) }

// PID is the daemon's process.
func (s *System) PID() int { return s.d.Server.PID }

// Machine has the facts about the daemon's machine and process for a report.
func (s *System) Machine() map[string]string { return self.Facts() }

// Environ has the wanted variables of the daemon's environment, replaced by the variables of the call.
func (s *System) Environ(client map[string]string, wanted func(name string) bool) map[string]string {
	env := self.Variables(wanted)
	maps.Copy(env, client)
	return env
}

// URL is where the daemon serves HTTP.
func (s *System) URL() string { return s.d.Server.URL }

// ensure only answers. A client starts the server before the call if it does not run.
func (s *System) ensure(context.Context, *op.Call, struct{}) (serverOut, error) {
	p := s.d.Proxy.Status()
	out := serverOut{
		Status: "running", URL: s.d.Server.URL, ProxyPort: cmp.Or(p.Port, proxy.FirstPort), ProxyOn: p.State != proxy.Stopped,
		ProxyStatus: string(p.State), StartedAt: s.d.Server.StartedAt.UTC(), PID: s.d.Server.PID,
	}
	return out, nil
}

// healthOut is the public information about the server.
type healthOut struct {
	Status  string          `json:"status"`
	Version string          `json:"version"`
	Tools   map[string]bool `json:"tools"`
	Cache   cacheOut        `json:"ui_cache"`
}

// cacheOut is quern's report on its cache of screens. It is empty, because ios-agent has no such cache.
type cacheOut struct {
	Hits    int               `json:"hits"`
	Misses  int               `json:"misses"`
	Rate    float64           `json:"hit_rate_percent"`
	Devices int               `json:"cached_devices"`
	TTL     int               `json:"ttl_ms"`
	Ages    map[string]string `json:"cache_ages"`
}

// Text is one line.
func (o healthOut) Text() string { return fmt.Sprintf("%s, version %s", o.Status, o.Version) }

func (s *System) health(context.Context, *op.Call, struct{}) (healthOut, error) {
	return healthOut{Status: "ok", Version: s.d.Server.Version, Tools: s.d.Tools.Installed(), Cache: cacheOut{Ages: map[string]string{}}}, nil
}

// guideOut is the guide for agents.
type guideOut struct {
	Guide string `json:"guide" lines:"ours"`
}

// Text is the guide.
func (o guideOut) Text() string { return o.Guide }

func (s *System) explain(context.Context, *op.Call, struct{}) (guideOut, error) {
	return guideOut{s.d.Guide()}, nil
}
