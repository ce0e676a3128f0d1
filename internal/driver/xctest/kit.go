package xctest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/appbundle"
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/brief"
)

// Kit is the agent's sources and the products built from them. It builds at most once for each combination of sources, Xcode and SDK,
// for all callers that wait. A build belongs to the kit and continues when those callers leave. Close ends it.
type Kit struct {
	Host  *host.Host
	Tools apple.Toolchain
	Root  string // one folder below it for each pair of sources and Xcode
	ID    string // identifies the sources
	// Write writes the Xcode project for a team that signs it; "": unsigned.
	Write func(dir, team string) error

	mu     sync.Mutex
	closed bool
	making map[Want]*making // by SDK and team
}

// Want describes the agent that a caller needs.
type Want struct {
	SDK   string
	UDID  string // a device on which it runs; "": any
	Team  string // signs it, for a physical device
	Again bool   // build it even if it exists
}

// buildTime is the maximum duration of a build, which takes a minute or two on a busy Mac.
const buildTime = 10 * time.Minute

// Products returns the .xctestrun of the agent, and builds the agent first if necessary. Callers that wait get its progress.
func (k *Kit) Products(ctx context.Context, w Want) (xctestrun string, err error) {
	for {
		m, err := k.join(w)
		if err != nil {
			return "", err
		}
		if err := m.await(ctx); err != nil {
			return "", err
		}
		if m.built || !w.Again || m.err != nil {
			return m.run, m.err
		}
	}
}

// errLeaving is the error for callers that need an agent after the kit was closed.
var errLeaving = fault.New(fault.Cancelled, "cannot build the agent: the daemon is stopping")

// join returns the build under way for a Want, or starts one.
func (k *Kit) join(w Want) (*making, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, errLeaving
	}
	same := Want{SDK: w.SDK, Team: w.Team}
	if m := k.making[same]; m != nil {
		return m, nil
	}
	if k.making == nil {
		k.making = map[Want]*making{}
	}
	task, ctx := newWork(context.Background())
	m := &making{work: task}
	k.making[same] = m
	go func() {
		defer close(m.done)
		defer m.cancel()
		if m.run, m.err = k.make(ctx, w, m); ctx.Err() != nil {
			m.err = errLeaving
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.making, same)
	}()
	return m, nil
}

// Close ends the builds and waits for their end.
func (k *Kit) Close() error {
	k.mu.Lock()
	k.closed = true
	all := slices.Collect(maps.Values(k.making))
	k.mu.Unlock()
	for _, m := range all {
		m.cancel()
		<-m.done
	}
	return nil
}

// making is one search for products, and their build if the search finds none. Read its fields only after done.
type making struct {
	*work
	built bool   // a build ran, maybe without success
	why   string // why products that exist are built again; "" otherwise
	run   string
	err   error
}

// await waits for the making. A caller that leaves first learns that a build continues.
func (m *making) await(ctx context.Context) error {
	err := m.wait(ctx)
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if words, _ := m.said(); words != "" {
		f = fault.New(f.Code, "%s, and this continues: %w", words, err).
			WithHint("wait for it: %s; then call again", hint.Do("agent_start"))
	}
	return f
}

func (k *Kit) make(ctx context.Context, w Want, m *making) (xctestrun string, err error) {
	folder, err := k.folder(ctx, w.Team)
	if err != nil {
		return "", err
	}
	if !w.Again {
		run, err := products(folder, w.SDK)
		if err != nil {
			return "", err
		}
		why := ""
		if w.Team != "" && run != "" {
			why = unfit(filepath.Dir(run), w.UDID, time.Now())
		}
		if run != "" && why == "" {
			return run, nil
		}
		m.why = why
	}
	m.built = true
	return k.build(ctx, folder, w, m)
}

// unfit is why signed products cannot run on a device, as far as their provisioning profiles tell; "" if they can, or if udid is empty.
func unfit(folder, udid string, now time.Time) string {
	for _, app := range appbundle.SignedApps(folder) {
		p, err := appbundle.ReadProfile(app)
		if err != nil || p == nil || udid == "" { // an unreadable profile is the device's to refuse
			continue
		}
		if why := p.Refuses(udid, now); why != "" {
			return why
		}
	}
	return ""
}

// Log is the folder of the build logs and of the agents' output.
func (k *Kit) Log() string { return filepath.Join(k.Root, "logs") }

// Derived is the folder for the files of the agent's runs on a device, mainly result bundles. Each device has its own, so that agents on
// several devices can run from one product at the same time.
func (k *Kit) Derived(udid string) string { return filepath.Join(k.runs(), udid) }

// Failed is the folder that keeps the files of the last agent that did not start on a device.
func (k *Kit) Failed(udid string) string { return filepath.Join(k.Root, "failed", udid) }

func (k *Kit) runs() string { return filepath.Join(k.Root, "runs") }

// Sweep removes the files that the runs of a killed daemon left.
func (k *Kit) Sweep() error { return os.RemoveAll(k.runs()) }

// folder is where this Xcode builds these sources. The driver never runs products of another Xcode: XCTest changes with it.
func (k *Kit) folder(ctx context.Context, team string) (string, error) {
	version, err := xcodebuild.Version(ctx, k.Host, k.Tools.Tool("xcodebuild"))
	if err != nil {
		return "", toolFault(err)
	}
	folder := filepath.Join(k.Root, k.ID+"-"+version.Build)
	if team != "" {
		folder += "-" + team
	}
	if exists(filepath.Join(folder, xcodebuild.AgentProject)) {
		return folder, nil
	}
	if err := k.unpack(folder, team); err != nil {
		return "", fault.New(fault.PathError, "cannot write the agent's project: %w", err)
	}
	return folder, nil
}

// unpack writes the project into a temporary folder and renames it.
func (k *Kit) unpack(folder, team string) error {
	if err := os.MkdirAll(k.Root, 0o700); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(k.Root, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := k.Write(temporary, team); err != nil {
		return err
	}
	err = os.Rename(temporary, folder)
	if errors.Is(err, fs.ErrExist) && exists(filepath.Join(folder, xcodebuild.AgentProject)) {
		return nil // another process was faster and wrote the same bytes
	}
	return err
}

func (k *Kit) build(ctx context.Context, folder string, w Want, m *making) (string, error) {
	building := "building the agent, once for this Xcode"
	if m.why != "" {
		building = "building the agent again, because " + m.why
	}
	m.say(building)
	cmd := xcodebuild.AgentBuild{Xcodebuild: k.Tools.Tool("xcodebuild"), Folder: folder, SDK: w.SDK, UDID: w.UDID, Team: w.Team}.Command()
	cmd.Timeout, cmd.Spool = buildTime, k.Log()
	log := new(buildlog.Reader)
	var last buildlog.Progress
	cmd.OnLine = func(_ host.Stream, line []byte) {
		log.Line(string(line))
		if now := log.Progress(); now.Stage != last.Stage || now.Compiled/compiledStep != last.Compiled/compiledStep {
			last = now
			m.say(fmt.Sprintf("%s: %s, %s compiled", building, now.Stage, brief.Count(now.Compiled, "file")))
		}
	}
	result, err := k.Host.Run(ctx, cmd)
	if err != nil {
		var exit *host.ExitError
		if !errors.As(err, &exit) {
			return "", toolFault(err)
		}
		if wrong := signingError(result); wrong != "" {
			return "", unsigned(w.Team, wrong).With("log", result.Spool)
		}
		return "", fault.New(fault.AgentFailed, "cannot build the agent: %s", firstError(result)).
			WithHint("read the log %s; then build again: %s", result.Spool, hint.Do("agent_build")).With("log", result.Spool)
	}
	run, err := products(folder, w.SDK)
	if err == nil && run == "" {
		err = fault.New(fault.AgentFailed, "the build of the agent has no .xctestrun for %s", w.SDK).With("log", result.Spool)
	}
	return run, err
}

// compiledStep is the number of compiled files between two progress messages.
const compiledStep = 10

// firstError is the first line with an error, or else the last line.
func firstError(r host.Result) string {
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)+"\n"+string(r.Stderr)), "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "error: ") }); i >= 0 {
		return strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// products finds the newest .xctestrun of an SDK. The file's name has the SDK, Scheme_iphonesimulator18.2-arm64.xctestrun, and before it
// the test plan if Xcode made one for the scheme: Scheme_Plan_iphonesimulator26.0-arm64.xctestrun.
func products(folder, sdk string) (string, error) {
	found, err := filepath.Glob(filepath.Join(xcodebuild.AgentProducts(folder), "*.xctestrun"))
	if err != nil {
		return "", fmt.Errorf("cannot look for the agent: %w", err)
	}
	newest, at := "", time.Time{}
	for _, path := range found {
		info, err := os.Stat(path)
		if err == nil && strings.Contains(filepath.Base(path), "_"+sdk) && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return newest, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Built reports whether an agent for this Xcode exists that the device accepts. It builds nothing.
func (k *Kit) Built(ctx context.Context, w Want) (bool, error) {
	folder, err := k.folder(ctx, w.Team)
	if err != nil {
		return false, err
	}
	run, err := products(folder, w.SDK)
	return run != "" && (w.Team == "" || unfit(filepath.Dir(run), w.UDID, time.Now()) == ""), err
}
