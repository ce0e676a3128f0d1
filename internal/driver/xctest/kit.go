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
	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/text/brief"
)

// Kit is the agent's sources and what was built from them. It builds only when there is no product of these sources for this
// Xcode and SDK, and only once for all who wait for it. A build belongs to the kit: it goes on when those who wait for it leave.
// Close ends it.
type Kit struct {
	Host  *host.Host
	Tools apple.Toolchain
	Root  string // one folder below it for each pair of sources and Xcode
	ID    string // of the sources: other sources have another
	// Write writes the Xcode project for a team that signs it; empty is none.
	Write func(dir, team string) error

	mu     sync.Mutex
	closed bool
	making map[Want]*making // by SDK and team
}

// Want says which agent is wanted.
type Want struct {
	SDK   string
	UDID  string // of a device that it is to run on; empty: any
	Team  string // that signs it, for a physical device
	Again bool   // build it even if it is there
}

// buildTime is what a build may take: a minute or two on a Mac that is busy.
const buildTime = 10 * time.Minute

// Products finds what runs the agent, and builds it first if there is none. Whoever waits for a build hears of its progress.
func (k *Kit) Products(ctx context.Context, w Want) (xctestrun string, err error) {
	for {
		m, err := k.join(w)
		if err != nil {
			return "", err
		}
		if err := m.wait(ctx); err != nil {
			return "", err
		}
		if m.built || !w.Again || m.err != nil {
			return m.run, m.err
		}
	}
}

// errLeaving is what those get who want an agent of a kit that is closed.
var errLeaving = fault.New(fault.Cancelled, "the agent is not built: the daemon is leaving")

// join gives what is being made for an SDK, or begins to make it.
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
	ctx, cancel := context.WithCancel(context.Background())
	m := &making{cancel: cancel, done: make(chan struct{}), news: make(chan struct{})}
	k.making[same] = m
	go func() {
		defer close(m.done)
		defer cancel()
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

// making is one search for products, and their build if there are none.
type making struct {
	cancel context.CancelFunc
	done   chan struct{}
	built  bool // or tried to; this and what follows is read after done
	run    string
	err    error

	mu    sync.Mutex
	words string        // how far the build is; empty as long as nothing is built
	news  chan struct{} // closed when the words change
}

// say tells those who wait how far the build is.
func (m *making) say(words string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.words = words
	close(m.news)
	m.news = make(chan struct{})
}

func (m *making) said() (words string, news <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.words, m.news
}

// wait returns when it is made, or when the caller leaves.
func (m *making) wait(ctx context.Context) error {
	for {
		words, news := m.said()
		if words != "" {
			device.Progress(ctx, words)
		}
		select {
		case <-m.done:
			return nil
		case <-news:
		case <-ctx.Done():
			f := fault.From(ctx.Err())
			if words, _ := m.said(); words != "" {
				f = fault.New(f.Code, "%s, and this goes on: %w", words, ctx.Err()).
					WithHint("`ios-agent agent start` waits for it; then call again")
			}
			return f
		}
	}
}

func (k *Kit) make(ctx context.Context, w Want, m *making) (xctestrun string, err error) {
	folder, err := k.folder(ctx, w.Team)
	if err != nil {
		return "", err
	}
	if !w.Again {
		if run, err := products(folder, w.SDK); run != "" || err != nil {
			return run, err
		}
	}
	m.built = true
	return k.build(ctx, folder, w, m)
}

// Log is the folder of the build logs and of the agents' output.
func (k *Kit) Log() string { return filepath.Join(k.Root, "logs") }

// Derived is the folder for what running the agent on a device leaves behind: result bundles above all. Each device has its own,
// so that agents of several devices run of one product at the same time.
func (k *Kit) Derived(udid string) string { return filepath.Join(k.runs(), udid) }

func (k *Kit) runs() string { return filepath.Join(k.Root, "runs") }

// Sweep removes what the runs of a daemon that was killed have left.
func (k *Kit) Sweep() error { return os.RemoveAll(k.runs()) }

// folder is where these sources are built with this Xcode. Another Xcode's products are never run: XCTest changes with it.
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
		return "", fault.New(fault.PathError, "writing the agent's project: %w", err)
	}
	return folder, nil
}

// unpack writes the project beside its place and moves it there whole.
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
		return nil // another process was quicker, with the same bytes
	}
	return err
}

func (k *Kit) build(ctx context.Context, folder string, w Want, m *making) (string, error) {
	const building = "building the agent, once for this Xcode"
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
		return "", fault.New(fault.AgentFailed, "the agent cannot be built: %s", firstError(result)).
			WithHint("the whole log is %s; `ios-agent agent build` tries again", result.Spool).With("log", result.Spool)
	}
	run, err := products(folder, w.SDK)
	if err == nil && run == "" {
		err = fault.New(fault.AgentFailed, "the agent was built, but there is no .xctestrun for %s", w.SDK).With("log", result.Spool)
	}
	return run, err
}

// compiledStep is after how many files the progress of a build is told again.
const compiledStep = 10

// firstError is the first line with an error, or else the last line.
func firstError(r host.Result) string {
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)+"\n"+string(r.Stderr)), "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "error: ") }); i >= 0 {
		return strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// products is the newest .xctestrun of an SDK. Its name tells the SDK, Scheme_iphonesimulator18.2-arm64.xctestrun, and before it
// the test plan, where Xcode made one for the scheme: Scheme_Plan_iphonesimulator26.0-arm64.xctestrun.
func products(folder, sdk string) (string, error) {
	found, err := filepath.Glob(filepath.Join(xcodebuild.AgentProducts(folder), "*.xctestrun"))
	if err != nil {
		return "", fmt.Errorf("looking for the agent: %w", err)
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

// Built reports whether there is an agent for this Xcode. It builds nothing.
func (k *Kit) Built(ctx context.Context, w Want) (bool, error) {
	folder, err := k.folder(ctx, w.Team)
	if err != nil {
		return false, err
	}
	run, err := products(folder, w.SDK)
	return run != "", err
}
