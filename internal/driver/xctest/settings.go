package xctest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/host"
)

var (
	_ device.Eraser      = (*phone)(nil)
	_ device.Inventory   = (*phone)(nil)
	_ device.Running     = (*phone)(nil)
	_ device.Links       = (*phone)(nil)
	_ device.Place       = (*phone)(nil)
	_ device.Permissions = (*phone)(nil)
	_ device.Trust       = (*phone)(nil)
	_ device.Looks       = (*phone)(nil)
	_ device.Mailbox     = (*phone)(nil)
	_ device.Pasteboard  = (*phone)(nil)
	_ device.Buttons     = (*phone)(nil)
	_ device.Film        = (*phone)(nil)
)

// Erase shuts the simulator down and erases it.
func (p *phone) Erase(ctx context.Context) error {
	if err := p.Shutdown(ctx); err != nil {
		return err
	}
	if err := p.changing().Erase(ctx, p.info.UDID); err != nil {
		return p.refused(err, fault.ToolFailed)
	}
	return p.former().forget() // the values from before Prepare are erased too
}

// List returns the installed apps; running apps have their pid.
func (p *phone) List(ctx context.Context) ([]device.App, error) {
	found, err := p.driver.simctl().Apps(ctx, p.info.UDID)
	if err != nil {
		return nil, p.refused(err, fault.ToolFailed)
	}
	running, err := p.Running(ctx)
	if err != nil {
		return nil, err
	}
	apps := make([]device.App, len(found))
	for i, a := range found {
		apps[i] = device.App{Bundle: a.BundleID, Name: a.Name, Version: a.Version, Type: a.Type, Path: a.Path, Data: a.DataPath(),
			PID: running[a.BundleID]}
	}
	return apps, nil
}

// Running asks launchd for the running apps. SpringBoard always runs.
func (p *phone) Running(ctx context.Context) (map[string]int, error) {
	running, err := p.driver.simctl().Running(ctx, p.info.UDID)
	if err != nil {
		return nil, p.refused(err, fault.ToolFailed)
	}
	running[springboard] = max(running[springboard], 1)
	return running, nil
}

// Uninstall removes an installed app. It checks first, because simctl reports success for an unknown app.
func (p *phone) Uninstall(ctx context.Context, bundleID string) error {
	if err := p.mustHave(ctx, bundleID); err != nil {
		return err
	}
	return p.refused(p.changing().Uninstall(ctx, p.info.UDID, bundleID), fault.ToolFailed)
}

func (p *phone) mustHave(ctx context.Context, bundleID string) error {
	apps, err := p.driver.simctl().Apps(ctx, p.info.UDID)
	if err != nil {
		return p.refused(err, fault.ToolFailed)
	}
	if !slices.ContainsFunc(apps, func(a simctl.App) bool { return a.BundleID == bundleID }) {
		return fault.New(fault.AppNotFound, "%s is not installed on %s", bundleID, p.info.Name).WithHint("%s lists the installed apps",
			hint.Do("list_apps"))
	}
	return nil
}

// OpenURL opens a URL.
func (p *phone) OpenURL(ctx context.Context, url string) error {
	return p.refused(p.changing().OpenURL(ctx, p.info.UDID, url), fault.ToolFailed)
}

// SetLocation sets the simulated location.
func (p *phone) SetLocation(ctx context.Context, latitude, longitude float64) error {
	return p.refused(p.changing().SetLocation(ctx, p.info.UDID, latitude, longitude), fault.ToolFailed)
}

// ClearLocation ends the simulated location.
func (p *phone) ClearLocation(ctx context.Context) error {
	return p.refused(p.changing().ClearLocation(ctx, p.info.UDID), fault.ToolFailed)
}

// Permit changes a permission. simctl ends the app when it revokes one.
func (p *phone) Permit(ctx context.Context, action, service, bundleID string) error {
	return p.refused(p.changing().Privacy(ctx, p.info.UDID, action, service, bundleID), fault.ToolFailed)
}

// TrustRoot makes the simulator's apps trust a root certificate.
func (p *phone) TrustRoot(ctx context.Context, path string) error {
	return p.refused(p.changing().AddRootCertificate(ctx, p.info.UDID, path), fault.ToolFailed)
}

// Look reads an option of `simctl ui`.
func (p *phone) Look(ctx context.Context, option string) (string, error) {
	value, err := p.driver.simctl().UI(ctx, p.info.UDID, option)
	return value, p.refused(err, fault.ToolFailed)
}

// SetLook sets an option of `simctl ui`.
func (p *phone) SetLook(ctx context.Context, option, value string) error {
	return p.refused(p.changing().SetUI(ctx, p.info.UDID, option, value), fault.ToolFailed)
}

// OverrideStatusBar passes the overrides to simctl by its own names.
func (p *phone) OverrideStatusBar(ctx context.Context, show map[string]string) error {
	var flags []string
	for name, value := range show {
		flags = append(flags, "--"+name, value)
	}
	return p.refused(p.changing().StatusBar(ctx, p.info.UDID, flags...), fault.ToolFailed)
}

// Push delivers a notification.
func (p *phone) Push(ctx context.Context, bundleID string, payload []byte) error {
	if err := p.mustHave(ctx, bundleID); err != nil {
		return err
	}
	return p.refused(p.changing().Push(ctx, p.info.UDID, bundleID, payload), fault.ToolFailed)
}

// Copy fills the pasteboard.
func (p *phone) Copy(ctx context.Context, text string) error {
	return p.refused(p.changing().Copy(ctx, p.info.UDID, text), fault.ToolFailed)
}

// Paste reads the pasteboard.
func (p *phone) Paste(ctx context.Context) (string, error) {
	text, err := p.driver.simctl().Paste(ctx, p.info.UDID)
	return text, p.refused(err, fault.ToolFailed)
}

// Record records the screen with simctl, which runs until it is interrupted. It returns when simctl reports the start: an interrupt
// before that would leave no file.
func (p *phone) Record(ctx context.Context, path, codec string) (io.Closer, error) {
	began := make(chan struct{})
	once := sync.OnceFunc(func() { close(began) })
	cmd := p.driver.simctl().Recording(p.info.UDID, codec, path)
	cmd.Grace = filmEnd
	cmd.OnLine = func(_ host.Stream, line []byte) {
		if bytes.Contains(line, []byte("Recording started")) {
			once()
		}
	}
	film, err := p.driver.Host.Start(ctx, cmd)
	if err != nil {
		return nil, toolFault(err)
	}
	late := time.NewTimer(filmBegin)
	defer late.Stop()
	select {
	case <-began:
		return &filming{p: p, process: film}, nil
	case <-film.Done():
		_, err := film.Result()
		return nil, p.refused(simctl.Refusal(film.Tail(host.Stderr), err), fault.ScreenshotFailed)
	case <-late.C:
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	return nil, errors.Join(fault.New(fault.Timeout, "simctl did not start recording %s", p.info.Name), film.Stop(stop))
}

// filming is a running recording.
type filming struct {
	p       *phone
	process *host.Process
}

const (
	filmBegin = 30 * time.Second // for simctl to start
	filmEnd   = time.Minute      // for simctl to write the film after the interrupt
)

// Close interrupts simctl and waits until it has written the film.
func (f *filming) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), filmEnd)
	defer cancel()
	if err := f.process.Stop(ctx); err != nil {
		return toolFault(err)
	}
	_, err := f.process.Result()
	return f.p.refused(err, fault.ToolFailed)
}
