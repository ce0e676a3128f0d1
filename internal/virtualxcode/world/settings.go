package world

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Settings are a device's settings that tools change. The zero value is a new device's; empty words mean the default.
type Settings struct {
	Appearance       string // light or dark
	ContentSize      string // such as extra-large
	IncreaseContrast bool
	StatusBar        map[string]string // overrides by option name without dashes, such as time; a shutdown clears them
	Location         Location
	Privacy          map[string]map[string]string // by bundle id and service: Granted or Denied
	Pasteboard       string
	RootCertificates []string // hex SHA-256 of the trusted certificates
	Certificates     []string
	Roots            [][]byte // the root certificates in their original form
	Media            []string // files in its photo library, in order of addition
	Opened           []OpenedURL
	Pushes           []Push
	Proxy            string          // the proxy of its apps; empty: the host's
	Network          string          // its Wi-Fi network; empty: the first one
	Switches         map[string]bool // switches of the Settings app, such as wifi; missing ones have the default
	VerboseLog       bool            // verbose logs of its services, from the next boot on
}

// Values of Settings.Privacy.
const (
	Granted = "granted"
	Denied  = "denied"
)

// The defaults of Settings.
const (
	DefaultAppearance  = "light"
	DefaultContentSize = "large"
)

// Location is the simulated location of a device; the zero value means none.
type Location struct {
	Set       bool
	Latitude  float64
	Longitude float64
	Scenario  string // the name of the running scenario, if any
}

// OpenedURL is a URL that a device opened, with the app that received it; empty is the system.
type OpenedURL struct {
	URL, Bundle string
	Time        time.Time
}

// Push is a notification that a device received.
type Push struct {
	Bundle  string
	Payload string // JSON
	Time    time.Time
}

// maxRecorded is the number of opened URLs and notifications that a device remembers.
const maxRecorded = 100

func recorded[T any](all []T, one T) []T {
	all = append(all, one)
	return slices.Clone(all[max(0, len(all)-maxRecorded):])
}

func (s Settings) clone() Settings {
	s.StatusBar, s.Privacy = maps.Clone(s.StatusBar), maps.Clone(s.Privacy)
	for bundle, services := range s.Privacy {
		s.Privacy[bundle] = maps.Clone(services)
	}
	s.RootCertificates, s.Certificates = slices.Clone(s.RootCertificates), slices.Clone(s.Certificates)
	s.Roots, s.Switches = slices.Clone(s.Roots), maps.Clone(s.Switches)
	s.Media, s.Opened, s.Pushes = slices.Clone(s.Media), slices.Clone(s.Opened), slices.Clone(s.Pushes)
	return s
}

// Settings are a copy of the settings of a device, booted or not.
func (w *World) Settings(udid string) (Settings, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return Settings{}, err
	}
	return d.Settings.clone(), nil
}

// Configure changes the settings of a booted device. If f fails the settings stay. f must not call the world.
func (w *World) Configure(ctx context.Context, udid string, f func(*Settings) error) error {
	return w.act(ctx, udid, 0, func(d *device, _ time.Time) error {
		changed := d.Settings.clone()
		if err := f(&changed); err != nil {
			return err
		}
		d.Settings = changed
		return nil
	})
}

// Switch is the state of a switch of the Settings app, such as wifi.
func (s Settings) Switch(name string) bool {
	return (&device{systemState: systemState{Settings: s}}).toggle(name)
}

// SetVerboseLog changes a setting of a device in any state.
func (w *World) SetVerboseLog(ctx context.Context, udid string, on bool) error {
	return w.alter(ctx, udid, func(d *device, _ time.Time) error {
		d.Settings.VerboseLog = on
		return nil
	})
}

// SetPrivacy stores the answer for an app, or removes it with "". Like iOS it ends a running app whose permission changes. Bundle ""
// removes the answers for all apps; service "all" means every stored answer.
func (w *World) SetPrivacy(ctx context.Context, udid, bundle, answer string, services ...string) error {
	return w.act(ctx, udid, 0, func(d *device, _ time.Time) error {
		if bundle != "" {
			d.answer(bundle, answer, services)
			return nil
		}
		for _, known := range slices.Sorted(maps.Keys(d.Settings.Privacy)) {
			d.answer(known, answer, services)
		}
		return nil
	})
}

func (d *device) answer(bundle, answer string, services []string) {
	of := map[string]string{}
	maps.Copy(of, d.Settings.Privacy[bundle])
	for _, s := range services {
		if of[s] = answer; answer == "" {
			delete(of, s)
		}
	}
	if maps.Equal(of, d.Settings.Privacy[bundle]) {
		return
	}
	if d.Settings.Privacy == nil {
		d.Settings.Privacy = map[string]map[string]string{}
	}
	if d.Settings.Privacy[bundle] = of; len(of) == 0 {
		delete(d.Settings.Privacy, bundle)
	}
	d.end(bundle)
}

// HostPasteboard is the text on the Mac's pasteboard.
func (w *World) HostPasteboard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.host
}

// SetHostPasteboard puts a text on the Mac's pasteboard.
func (w *World) SetHostPasteboard(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.host = text
	return w.saveShared()
}
