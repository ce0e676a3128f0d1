package simctl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/host"
)

// SettingTimeout is the maximum time of verbs that only change or read a setting.
const SettingTimeout = 30 * time.Second

// set runs a verb without an answer.
func (t Tool) set(ctx context.Context, udid, verb string, args ...string) error {
	_, err := t.on(ctx, udid, call{args: append([]string{verb, udid}, args...), timeout: SettingTimeout})
	return err
}

// Erase resets a device, which must be shut down, to its first state.
func (t Tool) Erase(ctx context.Context, udid string) error {
	_, err := t.on(ctx, udid, call{args: []string{"erase", udid}, timeout: BootTimeout})
	return err
}

// Uninstall removes an app. As in simctl, a missing app is not an error.
func (t Tool) Uninstall(ctx context.Context, udid, bundle string) error {
	return t.set(ctx, udid, "uninstall", bundle)
}

// OpenURL opens a URL as if it had been tapped.
func (t Tool) OpenURL(ctx context.Context, udid, url string) error {
	return t.set(ctx, udid, "openurl", url)
}

// SetLocation simulates the location of the device.
func (t Tool) SetLocation(ctx context.Context, udid string, latitude, longitude float64) error {
	place := strconv.FormatFloat(latitude, 'f', -1, 64) + "," + strconv.FormatFloat(longitude, 'f', -1, 64)
	return t.set(ctx, udid, "location", "set", place)
}

// ClearLocation ends a simulated location.
func (t Tool) ClearLocation(ctx context.Context, udid string) error {
	return t.set(ctx, udid, "location", "clear")
}

// Privacy grants, revokes or resets a permission; a reset without an app resets it for all apps.
func (t Tool) Privacy(ctx context.Context, udid, action, service, bundle string) error {
	args := []string{action, service}
	if bundle != "" {
		args = append(args, bundle)
	}
	return t.set(ctx, udid, "privacy", args...)
}

// AddRootCertificate has the device trust a root certificate, a file in PEM.
func (t Tool) AddRootCertificate(ctx context.Context, udid, path string) error {
	return t.set(ctx, udid, "keychain", "add-root-cert", path)
}

// SetUI sets one of the options of `simctl ui`: appearance, content_size, increase_contrast.
func (t Tool) SetUI(ctx context.Context, udid, option, value string) error {
	return t.set(ctx, udid, "ui", option, value)
}

// UI returns one of the options of `simctl ui`.
func (t Tool) UI(ctx context.Context, udid, option string) (string, error) {
	r, err := t.on(ctx, udid, call{args: []string{"ui", udid, option}, timeout: SettingTimeout})
	return strings.TrimSpace(string(r.Stdout)), err
}

// StatusBar overrides the content of the status bar; the flags are simctl's, with their dashes. Without flags the overrides end.
func (t Tool) StatusBar(ctx context.Context, udid string, flags ...string) error {
	if len(flags) == 0 {
		return t.set(ctx, udid, "status_bar", "clear")
	}
	return t.set(ctx, udid, "status_bar", append([]string{"override"}, flags...)...)
}

// Push delivers a notification to an app; the payload is JSON with an aps key.
func (t Tool) Push(ctx context.Context, udid, bundle string, payload []byte) error {
	c := call{args: []string{"push", udid, bundle, "-"}, timeout: SettingTimeout, stdin: payload}
	_, err := t.on(ctx, udid, c)
	return err
}

// Copy puts a text on the device's pasteboard.
func (t Tool) Copy(ctx context.Context, udid, text string) error {
	_, err := t.on(ctx, udid, call{args: []string{"pbcopy", udid}, timeout: SettingTimeout, stdin: []byte(text)})
	return err
}

// Paste returns the text on the device's pasteboard.
func (t Tool) Paste(ctx context.Context, udid string) (string, error) {
	r, err := t.on(ctx, udid, call{args: []string{"pbpaste", udid}, timeout: SettingTimeout})
	return string(r.Stdout), err
}

// Preference is one value of a preferences domain.
type Preference struct {
	Domain string `json:"domain"`
	Key    string `json:"key"`
	Kind   string `json:"kind,omitempty"` // bool, int, float or string; empty: not set
	Value  string `json:"value,omitempty"`
}

// Same reports whether another preference has the same place.
func (p Preference) Same(other Preference) bool {
	return p.Domain == other.Domain && p.Key == other.Key
}

// WritePreference sets a preference on a booted device, as `defaults write` does there, or removes it.
func (t Tool) WritePreference(ctx context.Context, udid string, p Preference) error {
	args := []string{"write", p.Domain, p.Key, "-" + p.Kind, p.Value}
	if p.Kind == "" {
		args = []string{"delete", p.Domain, p.Key}
	}
	_, err := t.Spawn(ctx, udid, "defaults", args...)
	if p.Kind == "" && refusedBy(err, defaultsMissing) {
		return nil
	}
	return err
}

// defaultsMissing is the exit status of defaults for a missing preference.
const defaultsMissing = 1

// refusedBy reports whether the spawned program, not simctl itself, exited with a status.
func refusedBy(err error, status int) bool {
	var exit *host.ExitError
	var no *Error
	return errors.As(err, &exit) && exit.Code == status && (!errors.As(err, &no) || no.Domain == "")
}

// preferenceKinds are the options of `defaults write` for the types of `defaults read-type`.
var preferenceKinds = map[string]string{"boolean": "bool", "integer": "int", "float": "float", "string": "string"}

// ReadPreference reads a preference of a booted device; a missing one has no kind.
func (t Tool) ReadPreference(ctx context.Context, udid, domain, key string) (Preference, error) {
	p := Preference{Domain: domain, Key: key}
	kind, err := t.Spawn(ctx, udid, "defaults", "read-type", domain, key)
	if refusedBy(err, defaultsMissing) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	name := strings.TrimPrefix(strings.TrimSpace(string(kind.Stdout)), "Type is ")
	if p.Kind = preferenceKinds[name]; p.Kind == "" {
		return p, unrestorable(p, name)
	}
	value, err := t.Spawn(ctx, udid, "defaults", "read", domain, key)
	p.Value = strings.TrimSuffix(string(value.Stdout), "\n")
	if p.Kind == "bool" { // the words that `defaults write` accepts
		p.Value = map[string]string{"1": yes, "0": no}[p.Value]
	}
	return p, err
}

// The values of a Preference of kind bool.
const yes, no = "YES", "NO"

func unrestorable(p Preference, kind string) error {
	return fmt.Errorf("%s %s is of type %q, which cannot be restored", p.Domain, p.Key, kind)
}

// Running returns the pids of the apps that run on a booted device, by bundle id.
func (t Tool) Running(ctx context.Context, udid string) (map[string]int, error) {
	r, err := t.Spawn(ctx, udid, "launchctl", "list")
	if err != nil {
		return nil, err
	}
	return runningApps(r.Stdout), nil
}

// runningApps reads lines of "<pid>\t<status>\tUIKitApplication:<bundle>[<hex>][…]"; a stopped service has a dash for its pid.
func runningApps(out []byte) map[string]int {
	apps := map[string]int{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		label, isApp := strings.CutPrefix(fields[2], "UIKitApplication:")
		pid, err := strconv.Atoi(fields[0])
		if bundle, _, _ := strings.Cut(label, "["); isApp && err == nil && pid > 0 {
			apps[bundle] = pid
		}
	}
	return apps
}

// Recording is the command that records the screen of a device into a file until it is interrupted.
func (t Tool) Recording(udid, codec, path string) host.Cmd {
	name := t.Xcrun
	if name == "" {
		name = "xcrun"
	}
	return host.Cmd{
		Name: name, Args: []string{"simctl", "io", udid, "recordVideo", "--codec", codec, "--force", path},
		Env: t.Env, Outputs: []string{path},
	}
}
