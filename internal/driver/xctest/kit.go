package xctest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/apple/xcodebuild"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

// Kit is the agent's sources and what was built from them. It builds only when there is no product of these sources for this
// Xcode and platform.
type Kit struct {
	Host  *host.Host
	Tools apple.Toolchain
	Root  string                 // one folder below it for each pair of sources and Xcode
	ID    string                 // of the sources: other sources have another
	Write func(dir string) error // writes the Xcode project

	mu    sync.Mutex        // one build at a time
	found map[string]string // by platform: the .xctestrun
}

// buildTime is what a build may take: a minute or two on a Mac that is busy.
const buildTime = 10 * time.Minute

// Products finds what runs the agent on a platform (iphonesimulator, iphoneos), and builds it first if there is none.
func (k *Kit) Products(ctx context.Context, platform string) (xctestrun string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if run := k.found[platform]; run != "" && exists(run) {
		return run, nil
	}
	folder, err := k.folder(ctx)
	if err != nil {
		return "", err
	}
	run, err := products(folder, platform)
	if err != nil {
		return "", err
	}
	if run == "" {
		if run, err = k.build(ctx, folder, platform); err != nil {
			return "", err
		}
	}
	if k.found == nil {
		k.found = map[string]string{}
	}
	k.found[platform] = run
	return run, nil
}

// Rebuild builds in any case.
func (k *Kit) Rebuild(ctx context.Context, platform string) (xctestrun string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	folder, err := k.folder(ctx)
	if err != nil {
		return "", err
	}
	delete(k.found, platform)
	return k.build(ctx, folder, platform)
}

// Log is the folder of the build logs and of the agents' output.
func (k *Kit) Log() string { return filepath.Join(k.Root, "logs") }

// folder is where these sources are built with this Xcode. Another Xcode's products are never run: XCTest changes with it.
func (k *Kit) folder(ctx context.Context) (string, error) {
	version, err := xcodebuild.Version(ctx, k.Host, k.Tools.Tool("xcodebuild"))
	if err != nil {
		return "", toolFault(err)
	}
	folder := filepath.Join(k.Root, k.ID+"-"+version.Build)
	if exists(filepath.Join(folder, xcodebuild.AgentProject)) {
		return folder, nil
	}
	if err := k.unpack(folder); err != nil {
		return "", fault.New(fault.PathError, "writing the agent's project: %w", err)
	}
	return folder, nil
}

// unpack writes the project beside its place and moves it there whole.
func (k *Kit) unpack(folder string) error {
	if err := os.MkdirAll(k.Root, 0o700); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(k.Root, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := k.Write(temporary); err != nil {
		return err
	}
	err = os.Rename(temporary, folder)
	if errors.Is(err, fs.ErrExist) && exists(filepath.Join(folder, xcodebuild.AgentProject)) {
		return nil // another process was quicker, with the same bytes
	}
	return err
}

func (k *Kit) build(ctx context.Context, folder, platform string) (string, error) {
	device.Progress(ctx, "building the agent, once for this Xcode")
	cmd := xcodebuild.BuildAgent(k.Tools.Tool("xcodebuild"), folder, platform)
	cmd.Timeout, cmd.Spool = buildTime, k.Log()
	result, err := k.Host.Run(ctx, cmd)
	if err != nil {
		var exit *host.ExitError
		if !errors.As(err, &exit) {
			return "", toolFault(err)
		}
		return "", fault.New(fault.AgentFailed, "the agent cannot be built: %s", firstError(result)).
			WithHint("the whole log is %s; `ios-agent agent build` tries again", result.Spool).With("log", result.Spool)
	}
	run, err := products(folder, platform)
	if err == nil && run == "" {
		err = fault.New(fault.AgentFailed, "the agent was built, but there is no .xctestrun for %s", platform).With("log", result.Spool)
	}
	return run, err
}

// firstError is the first line with an error, or else the last line.
func firstError(r host.Result) string {
	lines := strings.Split(strings.TrimSpace(string(r.Stdout)+"\n"+string(r.Stderr)), "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "error: ") }); i >= 0 {
		return strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// products is the newest .xctestrun of a platform. Its name tells the platform: Scheme_iphonesimulator18.2-arm64.xctestrun.
func products(folder, platform string) (string, error) {
	found, err := filepath.Glob(filepath.Join(xcodebuild.AgentProducts(folder), "*.xctestrun"))
	if err != nil {
		return "", fmt.Errorf("looking for the agent: %w", err)
	}
	newest, at := "", time.Time{}
	for _, path := range found {
		info, err := os.Stat(path)
		if err == nil && strings.Contains(filepath.Base(path), "_"+platform) && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return newest, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
