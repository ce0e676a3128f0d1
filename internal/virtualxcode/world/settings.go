package world

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Settings are what has been set on a device from outside. The zero value is a new device's; empty words mean the
// default.
type Settings struct {
	Appearance       string // light or dark
	ContentSize      string // such as extra-large
	IncreaseContrast bool
	StatusBar        map[string]string // overrides by option name without dashes, such as time; gone after a shutdown
	Location         Location
	Privacy          map[string]map[string]string // by bundle id and service: Granted or Denied
	Pasteboard       string
	RootCertificates []string // hex SHA-256 of the certificates trusted
	Certificates     []string
	Roots            [][]byte // the root certificates themselves, as they were given
	Media            []string // files in its photo library, in the order they were added
	Opened           []OpenedURL
	Pushes           []Push
	Proxy            string          // through which apps send requests; empty: as the host does
	Network          string          // the Wi-Fi it is in; empty: its first one
	Switches         map[string]bool // of the Settings app, such as wifi; those not here are as on a new device
	VerboseLog       bool            // of the device's own services, from the next boot on
}

// What Settings.Privacy says.
const (
	Granted = "granted"
	Denied  = "denied"
)

// The defaults of Settings.
const (
	DefaultAppearance  = "light"
	DefaultContentSize = "large"
)

// Location is the simulated location of a device; the zero value is none.
type Location struct {
	Set       bool
	Latitude  float64
	Longitude float64
	Scenario  string // the name of what is being played, if something is
}

// OpenedURL is a URL a device was asked to open, with the app that took it; empty is the system.
type OpenedURL struct {
	URL, Bundle string
	Time        time.Time
}

// Push is a notification a device was sent.
type Push struct {
	Bundle  string
	Payload string // JSON
	Time    time.Time
}

// maxRecorded is how many opened URLs and notifications a device remembers.
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

// Settings are the settings of a device, booted or not. They are the caller's.
func (w *World) Settings(udid string) (Settings, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, err := w.device(udid)
	if err != nil {
		return Settings{}, err
	}
	return d.Settings.clone(), nil
}

// Configure changes the settings of a booted device. When f fails nothing is changed. f must not call the world.
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

// Switch is how a switch of the Settings app stands, such as wifi.
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

// SetPrivacy answers for an app, or takes the answer back with "". A running app whose permission changes is ended, as
// iOS does. Bundle "" takes back the answers for all apps, service "all" is every one given.
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

// HostPasteboard is what the pasteboard of the Mac holds.
func (w *World) HostPasteboard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.host
}

// SetHostPasteboard puts a text on the pasteboard of the Mac.
func (w *World) SetHostPasteboard(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.host = text
	return w.saveShared()
}
