package world

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/app"
)

// sizes are the words of Settings.ContentSize by the step of the slider in Settings.
func sizes() []string {
	return []string{"extra-small", "small", "medium", "large", "extra-large", "extra-extra-large", "extra-extra-extra-large",
		"accessibility-medium", "accessibility-large", "accessibility-extra-large", "accessibility-extra-extra-large",
		"accessibility-extra-extra-extra-large"}
}

// textScales are the scales of texts relative to the default size, by the same steps.
func textScales() []float64 {
	return []float64{0.82, 0.88, 0.94, 1, 1.12, 1.24, 1.35, 1.65, 1.94, 2.35, 2.76, 3.12}
}

// textScale is the scale of texts.
func (d *device) textScale() float64 {
	if i := slices.Index(sizes(), d.Settings.ContentSize); i >= 0 {
		return textScales()[i]
	}
	return 1
}

// toggle is a switch of the device outside the other settings.
func (d *device) toggle(name string) bool {
	if on, set := d.Settings.Switches[name]; set {
		return on
	}
	on, _ := app.DeviceVars()["device."+name].(bool)
	return on
}

func (s *Settings) flip(name string, on bool) {
	s.Switches = maps.Clone(s.Switches)
	if s.Switches == nil {
		s.Switches = map[string]bool{}
	}
	s.Switches[name] = on
}

// property is a device variable: its value, and its setter for apps of the system.
type property struct {
	get func(*device) any
	set func(*Settings, any) // nil: read-only
}

// properties are the device variables other than plain switches.
func deviceProperties() map[string]property {
	return map[string]property{
		"dark": {func(d *device) any { return d.Settings.Appearance == "dark" },
			func(s *Settings, v any) { s.Appearance = appearance(v == true) }},
		"appearance": {func(d *device) any {
			if d.Settings.Appearance == "dark" {
				return "Dark"
			}
			return "Light"
		},
			func(s *Settings, v any) { s.Appearance = appearance(v == "Dark") }},
		"contrast": {func(d *device) any { return d.Settings.IncreaseContrast },
			func(s *Settings, v any) { s.IncreaseContrast = v == true }},
		"text_size": {func(d *device) any { return float64(1 + max(0, slices.Index(sizes(), contentSize(d)))) },
			func(s *Settings, v any) {
				n, _ := v.(float64)
				s.ContentSize = sizes()[int(clamp(n-1, 0, float64(len(sizes())-1)))]
			}},
		"network": {func(d *device) any { return cmp.Or(d.Settings.Network, "Home") },
			func(s *Settings, v any) { s.Network, _ = v.(string) }},
		"wifi_detail": {get: func(d *device) any {
			if !d.toggle("wifi") {
				return "Off"
			}
			return cmp.Or(d.Settings.Network, "Home")
		}},
		"bluetooth_detail": {get: func(d *device) any {
			if d.toggle("bluetooth") {
				return "On"
			}
			return "Off"
		}},
		"name":        {get: func(d *device) any { return d.Name }},
		"model":       {get: func(d *device) any { return d.deviceType.Name }},
		"version":     {get: func(d *device) any { return d.runtime.Version }},
		"orientation": {get: func(d *device) any { return string(cmp.Or(d.Orientation, Portrait)) }},
		"pasteboard": {get: func(d *device) any {
			if d.Settings.Pasteboard == "" {
				return ""
			}
			return "has text"
		}},
	}
}

// appearance is the word of Settings.Appearance.
func appearance(dark bool) string {
	if dark {
		return "dark"
	}
	return "light"
}

func contentSize(d *device) string { return cmp.Or(d.Settings.ContentSize, DefaultContentSize) }

// value is the value of a device variable, or false for an unknown name.
func (p *process) value(name string) (any, bool) {
	if service := app.Permission(name); service != "" {
		return p.on.permitted(p.Bundle, service), true
	}
	short, ok := strings.CutPrefix(name, "device.")
	if !ok {
		return nil, false
	}
	if known, ok := p.on.properties[short]; ok {
		return known.get(p.on), true
	}
	return p.on.toggle(short), true
}

// refresh updates the app's variables from the device.
func (p *process) refresh() {
	for name, have := range p.Values {
		if now, ok := p.value(name); ok && now != have {
			p.Values[name] = now
			p.changed()
		}
	}
}

// adopt applies the variables of an app of the system to the device. The variables of other apps are reset to the device's values.
func (p *process) adopt() {
	if strings.HasPrefix(p.Bundle, "com.apple.") {
		for _, name := range slices.Sorted(maps.Keys(p.Values)) {
			if now, ok := p.value(name); ok && now != p.Values[name] {
				p.on.setting(strings.TrimPrefix(name, "device."), p.Values[name])
			}
		}
	}
	p.refresh()
}

// setting changes one setting of d from an app.
func (d *device) setting(name string, v any) {
	if known, ok := d.properties[name]; ok {
		if known.set != nil {
			known.set(&d.Settings, v)
		}
		return
	}
	if on, ok := v.(bool); ok {
		d.Settings.flip(name, on)
	}
}
