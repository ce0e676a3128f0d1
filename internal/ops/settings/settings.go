// Package settings offers the operations that change an app's surroundings on a device, such as location, permissions and appearance. It
// also sets the status bar, sends push notifications, reads and writes the pasteboard, and changes keyboard settings for automation.
// Settings is its main type; the device's driver does the work.
package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ops/target"
)

// Settings changes the settings of a device.
type Settings struct{ access access.Access }

// New makes the operations on settings.
func New(access access.Access) *Settings { return &Settings{access} }

// Ops lists the operations on settings.
func (s *Settings) Ops() []op.Op {
	groups := []string{"device"}
	return []op.Op{
		op.New(op.Spec{
			Name: "set_location", Groups: groups, Route: "POST /api/v1/device/location",
			Summary: "Set the location of the device, or clear it", Hints: op.Idempotent,
			Require: [][]string{{"latitude", "clear"}}, Exclude: [][]string{{"latitude", "clear"}, {"longitude", "clear"}},
			Examples: []string{"set-location --latitude 37.7749 --longitude -122.4194", "set-location --clear"},
		}, s.Location),
		op.New(op.Spec{
			Name: "grant_permission", Groups: groups, Verb: "grant", Route: "POST /api/v1/device/permission",
			Summary: "Grant an app a permission, or revoke or reset it; revoking ends the app",
			Help:    "Permissions: " + strings.Join(services(), ", ") + ".", Hints: op.Idempotent,
			Examples: []string{"grant com.iosagent.shop photos", "grant com.iosagent.shop location --action revoke", "grant all --action reset"},
		}, s.permission),
		op.New(op.Spec{
			Name: "set_appearance", Groups: groups, Route: "POST /api/v1/device/appearance",
			Summary: "Set dark mode, the text size or the contrast; without a value, show them", Hints: op.Idempotent,
			Examples: []string{"set-appearance --mode dark", "set-appearance --text-size extra-large"},
		}, s.Appearance),
		op.New(op.Spec{
			Name: "set_status_bar", Groups: groups, Route: "POST /api/v1/device/status-bar",
			Summary: "Fix the contents of the status bar for screenshots",
			Hints:   op.Idempotent, Examples: []string{"set-status-bar --time 9:41 --battery-level 100", "set-status-bar --clear"},
			Require: [][]string{{"clear", "time", "battery_level", "battery_state", "data_network", "wifi_bars", "cellular_bars", "operator"}},
		}, s.StatusBar),
		op.New(op.Spec{
			Name: "push", Groups: []string{"app"}, Route: "POST /api/v1/device/push",
			Summary: "Deliver a push notification to an app", Require: [][]string{{"title", "body", "payload"}},
			Exclude: [][]string{{"title", "payload"}, {"body", "payload"}, {"badge", "payload"}},
			Examples: []string{
				`push com.iosagent.shop --title "Sale" --body "Everything must go"`,
				`push com.iosagent.shop --payload '{"aps":{"alert":"Hi"}}'`,
			},
		}, s.push),
		op.New(op.Spec{
			Name: "pasteboard", Groups: groups, Route: "POST /api/v1/device/pasteboard",
			Summary: "Read the device's pasteboard, or put a text on it",
			Help: "When an app reads the pasteboard by itself, iOS asks the user: a system alert, which the next snapshot shows.\n" +
				"No public setting turns that off.",
			Examples: []string{"pasteboard", `pasteboard --text "copied"`},
		}, s.pasteboard),
		op.New(op.Spec{
			Name: "prepare_device", Groups: groups, Verb: "prepare", Route: "POST /api/v1/device/prepare", Timeout: 2 * time.Minute,
			Summary: "Turn off autocorrection and prediction, so typed text arrives unchanged",
			Hints:   op.Idempotent, Examples: []string{`prepare --sim "iPhone 16"`, "prepare --restore"},
		}, s.prepare),
	}
}

// LocationIn is a place.
type LocationIn struct {
	target.Target
	Latitude  *float64 `json:"latitude,omitempty" doc:"degrees north" min:"-90" max:"90"`
	Longitude *float64 `json:"longitude,omitempty" doc:"degrees east" min:"-180" max:"180"`
	Clear     bool     `json:"clear,omitempty" doc:"end the simulated location"`
}

// LocationOut is where the device is now.
type LocationOut struct {
	target.StatusOut
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
}

// Location sets or clears the simulated location.
func (s *Settings) Location(ctx context.Context, c *op.Call, in LocationIn) (LocationOut, error) {
	if !in.Clear && (in.Latitude == nil || in.Longitude == nil) {
		return LocationOut{}, fault.New(fault.InvalidInput, "set_location: a place is a latitude and a longitude").With("field", "longitude")
	}
	out, err := access.With(ctx, s.access, c, in.Target, func(p device.Place) error {
		if in.Clear {
			return p.ClearLocation(ctx)
		}
		return p.SetLocation(ctx, *in.Latitude, *in.Longitude)
	})
	if in.Clear {
		out.Said = "location cleared " + out.Said
	} else {
		out.Said = fmt.Sprintf("location %g, %g %s", *in.Latitude, *in.Longitude, out.Said)
	}
	return LocationOut{out, in.Latitude, in.Longitude}, err
}

// services are the permissions that simctl can change.
func services() []string {
	return []string{"all", "calendar", "contacts-limited", "contacts", "location", "location-always", "photos-add", "photos",
		"media-library", "microphone", "motion", "reminders", "siri"}
}

// service is the name of a permission.
type service string

// Choices are all of them.
func (service) Choices() []string { return services() }

// permissionIn names an app and a permission.
type permissionIn struct {
	target.Target
	Bundle     string  `json:"bundle_id,omitempty" doc:"the app; reset without one: all apps" cli:"arg"`
	Permission service `json:"permission,omitempty" doc:"the permission; others: when the app asks" cli:"arg"`
	Action     string  `json:"action,omitempty" doc:"reset makes the app ask again" enum:"grant,revoke,reset" default:"grant"`
}

// permissionOut is the changed permission.
type permissionOut struct {
	target.StatusOut
	Bundle     string `json:"bundle_id"`
	Permission string `json:"permission"`
	Action     string `json:"action"`
}

func (s *Settings) permission(ctx context.Context, c *op.Call, in permissionIn) (permissionOut, error) {
	if in.Permission == "" && slices.Contains(services(), in.Bundle) { // `grant all --action reset`
		in.Bundle, in.Permission = "", service(in.Bundle)
	}
	switch {
	case in.Permission == "":
		return permissionOut{}, fault.New(fault.InvalidInput, "grant_permission: permission is missing").With("field", "permission").
			WithHint("one of %s", strings.Join(services(), ", "))
	case in.Bundle == "" && in.Action != "reset":
		return permissionOut{}, fault.New(fault.InvalidInput, "grant_permission: %s needs bundle_id", in.Action).With("field", "bundle_id")
	}
	if in.Bundle != "" {
		var err error
		if in.Bundle, err = s.access.AppOn(ctx, c, in.Target, in.Bundle); err != nil {
			return permissionOut{}, err
		}
	}
	out, err := access.With(ctx, s.access, c, in.Target, func(p device.Permissions) error {
		return p.Permit(ctx, in.Action, string(in.Permission), in.Bundle)
	})
	out.Said = strings.TrimSpace(fmt.Sprintf("%s %s %s", in.Action, in.Permission, in.Bundle)) + " " + out.Said
	return permissionOut{out, in.Bundle, string(in.Permission), in.Action}, err
}

// AppearanceIn is the wanted appearance.
type AppearanceIn struct {
	target.Target
	Mode     string   `json:"mode,omitempty" doc:"light or dark" enum:"light,dark" cli:"arg"`
	TextSize textSize `json:"text_size,omitempty" doc:"the preferred text size"`
	Contrast string   `json:"increase_contrast,omitempty" doc:"enabled or disabled" enum:"enabled,disabled"`
}

// textSize is one of iOS's text sizes, by simctl's names.
type textSize string

// Choices are all of them, smallest first.
func (textSize) Choices() []string {
	return []string{
		"extra-small", "small", "medium", "large", "extra-large", "extra-extra-large", "extra-extra-extra-large",
		"accessibility-medium", "accessibility-large", "accessibility-extra-large", "accessibility-extra-extra-large",
		"accessibility-extra-extra-extra-large",
	}
}

// AppearanceOut is the current appearance.
type AppearanceOut struct {
	target.StatusOut
	Mode     string `json:"mode"`
	TextSize string `json:"text_size"`
	Contrast string `json:"increase_contrast"`
}

// Appearance sets and shows the appearance.
func (s *Settings) Appearance(ctx context.Context, c *op.Call, in AppearanceIn) (AppearanceOut, error) {
	out := AppearanceOut{}
	options := []struct {
		name, value string
		to          *string
	}{
		{"appearance", in.Mode, &out.Mode}, {"content_size", string(in.TextSize), &out.TextSize},
		{"increase_contrast", in.Contrast, &out.Contrast},
	}
	done, err := access.With(ctx, s.access, c, in.Target, func(l device.Looks) (err error) {
		for _, o := range options {
			if o.value != "" {
				if err := l.SetLook(ctx, o.name, o.value); err != nil {
					return err
				}
			}
			if *o.to, err = l.Look(ctx, o.name); err != nil {
				return err
			}
		}
		return nil
	})
	out.StatusOut = done
	out.Said = fmt.Sprintf("appearance %s, text size %s, increased contrast %s %s", out.Mode, out.TextSize, out.Contrast, done.Said)
	return out, err
}

// StatusBarIn has the contents of the status bar.
type StatusBarIn struct {
	target.Target
	Time         string `json:"time,omitempty" doc:"the time, such as 9:41"`
	DataNetwork  string `json:"data_network,omitempty" doc:"the data network" enum:"hide,wifi,3g,4g,lte,lte-a,lte+,5g,5g+,5g-uwb,5g-uc"`
	WifiBars     *int   `json:"wifi_bars,omitempty" doc:"0 to 3" min:"0" max:"3"`
	CellularBars *int   `json:"cellular_bars,omitempty" doc:"0 to 4" min:"0" max:"4"`
	Operator     string `json:"operator,omitempty" doc:"the operator's name"`
	BatteryState string `json:"battery_state,omitempty" doc:"charging, charged or discharging" enum:"charging,charged,discharging"`
	BatteryLevel *int   `json:"battery_level,omitempty" doc:"percent" min:"0" max:"100"`
	Clear        bool   `json:"clear,omitempty" doc:"show the real values again"`
}

// shows are the overrides by simctl's names.
func (in StatusBarIn) shows() map[string]string {
	show := map[string]string{}
	texts := map[string]string{
		"time": in.Time, "dataNetwork": in.DataNetwork, "operatorName": in.Operator, "batteryState": in.BatteryState,
	}
	for name, value := range texts {
		if value != "" {
			show[name] = value
		}
	}
	for name, value := range map[string]*int{"wifiBars": in.WifiBars, "cellularBars": in.CellularBars, "batteryLevel": in.BatteryLevel} {
		if value != nil {
			show[name] = fmt.Sprint(*value)
		}
	}
	return show
}

// StatusBar overrides the status bar, or clears the overrides.
func (s *Settings) StatusBar(ctx context.Context, c *op.Call, in StatusBarIn) (target.StatusOut, error) {
	show := in.shows()
	if in.Clear {
		show = nil
	}
	out, err := access.With(ctx, s.access, c, in.Target, func(l device.Looks) error { return l.OverrideStatusBar(ctx, show) })
	out.Said = "status bar overridden " + out.Said
	if in.Clear {
		out.Said = strings.Replace(out.Said, "overridden", "shows the real values", 1)
	}
	return out, err
}

// pushIn is a notification.
type pushIn struct {
	target.Target
	Bundle  string `json:"bundle_id" doc:"the app" cli:"arg"`
	Title   string `json:"title,omitempty" doc:"its title"`
	Body    string `json:"body,omitempty" doc:"its text"`
	Badge   *int   `json:"badge,omitempty" doc:"the number on the app's icon" min:"0"`
	Payload string `json:"payload,omitempty" doc:"the whole payload instead, as JSON with an aps object"`
}

// payload is the notification in Apple's format. simctl refuses more than 4 KB, as Apple's service does.
func (in pushIn) payload() ([]byte, error) {
	if in.Payload != "" {
		var p map[string]any
		if err := json.Unmarshal([]byte(in.Payload), &p); err != nil {
			return nil, fault.New(fault.InvalidInput, "push: payload is not a JSON object: %w", fault.OfJSON(err)).With("field", "payload")
		}
		if _, ok := p["aps"].(map[string]any); !ok {
			return nil, fault.New(fault.InvalidInput, "push: payload has no aps object").With("field", "payload")
		}
		return []byte(in.Payload), nil
	}
	alert := map[string]string{}
	if in.Title != "" {
		alert["title"] = in.Title
	}
	if in.Body != "" {
		alert["body"] = in.Body
	}
	aps := map[string]any{"alert": alert}
	if in.Badge != nil {
		aps["badge"] = *in.Badge
	}
	return json.Marshal(map[string]any{"aps": aps})
}

func (s *Settings) push(ctx context.Context, c *op.Call, in pushIn) (target.StatusOut, error) {
	payload, err := in.payload()
	if err != nil {
		return target.StatusOut{}, err
	}
	if in.Bundle, err = s.access.AppOn(ctx, c, in.Target, in.Bundle); err != nil {
		return target.StatusOut{}, err
	}
	out, err := access.With(ctx, s.access, c, in.Target, func(m device.Mailbox) error { return m.Push(ctx, in.Bundle, payload) })
	out.Said = "notification sent to " + in.Bundle + " " + out.Said
	return out, err
}

// pasteboardIn has the text to copy, if any.
type pasteboardIn struct {
	target.Target
	Text *string `json:"text,omitempty" doc:"text to copy; default: read it" private:"true"`
}

// pasteboardOut is the text on the pasteboard.
type pasteboardOut struct {
	target.StatusOut
	Content string `json:"text"`
}

// Text quotes the text, which may come from an app.
func (o pasteboardOut) Text() string { return fmt.Sprintf("pasteboard: %q", o.Content) }

func (s *Settings) pasteboard(ctx context.Context, c *op.Call, in pasteboardIn) (pasteboardOut, error) {
	var content string
	out, err := access.With(ctx, s.access, c, in.Target, func(p device.Pasteboard) (err error) {
		if in.Text != nil {
			if err := p.Copy(ctx, *in.Text); err != nil {
				return err
			}
		}
		content, err = p.Paste(ctx)
		return err
	})
	return pasteboardOut{out, content}, err
}

// prepareIn names the device.
type prepareIn struct {
	target.Target
	Restore bool `json:"restore,omitempty" doc:"restore the previous settings"`
}

// prepareOut lists the changed settings.
type prepareOut struct {
	target.StatusOut
	Settings []device.Adjusted `json:"settings"`
}

func (s *Settings) prepare(ctx context.Context, c *op.Call, in prepareIn) (prepareOut, error) {
	done, word := []device.Adjusted{}, "made"
	out, err := access.With(ctx, s.access, c, in.Target, func(p device.Preparer) (err error) {
		if in.Restore {
			word = "restored"
			done, err = p.Restore(ctx)
		} else {
			done, err = p.Prepare(ctx)
		}
		return err
	})
	failed := 0
	for _, a := range done {
		if a.Error != "" {
			failed++
		}
	}
	if on := out.Said; in.Restore && len(done) == 0 {
		out.Said = "nothing to restore " + on + ": it was not prepared"
	} else {
		out.Said = fmt.Sprintf("%d of %d settings %s %s", len(done)-failed, len(done), word, on)
	}
	return prepareOut{out, done}, err
}
