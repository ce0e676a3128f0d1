package appbundle

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/machine/docfile"
)

// Profile holds the facts of a provisioning profile: on which devices an app may run, and until when.
type Profile struct {
	Expires    time.Time `plist:"ExpirationDate"`
	Devices    []string  `plist:"ProvisionedDevices"`
	AllDevices bool      `plist:"ProvisionsAllDevices"` // of an enterprise
}

// errProfile means that a file is not a provisioning profile.
var errProfile = errors.New("not a provisioning profile")

// ReadProfile reads the provisioning profile in a signed app. It returns nil for an app without one, such as an app for a simulator.
func ReadProfile(app string) (*Profile, error) {
	raw, err := docfile.Read(app, "embedded.mobileprovision", docfile.MostPlist)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseProfile(raw)
}

// parseProfile reads the property list in a signed message. It does not check the signature: the device does.
func parseProfile(raw []byte) (*Profile, error) {
	const last = "</plist>"
	begin := bytes.Index(raw, []byte("<?xml"))
	end := bytes.Index(raw, []byte(last))
	if begin < 0 || end < begin {
		return nil, errProfile
	}
	var p Profile
	if err := docfile.Plist(raw[begin:end+len(last)], &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// Refuses returns why the profile does not let the app run on a device at a moment; "" if it does.
func (p *Profile) Refuses(udid string, now time.Time) string {
	switch {
	case !p.Expires.IsZero() && now.After(p.Expires):
		return "its provisioning profile expired on " + p.Expires.UTC().Format(time.DateOnly)
	case !p.AllDevices && !slices.ContainsFunc(p.Devices, func(d string) bool { return strings.EqualFold(d, udid) }):
		return "its provisioning profile does not list the device"
	}
	return ""
}

// SignedApps are the apps in a folder of build products that carry a provisioning profile.
func SignedApps(products string) []string {
	found, _ := filepath.Glob(filepath.Join(products, "*", "*.app", "embedded.mobileprovision")) // the pattern is well formed
	for i, path := range found {
		found[i] = filepath.Dir(path)
	}
	return found
}
