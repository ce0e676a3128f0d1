// Package settings reads the build settings that `xcodebuild -showBuildSettings` prints, as text and as JSON. Read returns a List. The
// package does not run xcodebuild: its callers do.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

// List holds all settings in the output. Targets keep their order: a dependency may come before the requested target.
type List struct {
	CommandLine map[string]string `json:"commandLine,omitempty"` // settings and defaults from the command line
	Targets     []Target          `json:"targets"`
	Remarks     []string          `json:"remarks,omitempty"` // other lines
}

// MarshalJSON also writes the parts that were not understood.
func (l List) MarshalJSON() ([]byte, error) {
	type plain List
	return jsondoc.Encode(plain(l))
}

// Target has the settings of one target for one action.
type Target struct {
	Action   string            `json:"action,omitempty"`
	Target   string            `json:"target,omitempty"`
	Settings map[string]string `json:"buildSettings,omitempty"`
	Extra    jsondoc.Extra     `json:"-"`
}

var (
	ofTarget    = lazyregexp.New(`^Build settings for action (\S+) and target "?(.+?)"?:$`)
	fromCommand = lazyregexp.New(`^(?:Build settings|User defaults) from (?:command line|configuration file .*):$`)
	setting     = lazyregexp.New(`^\s+([A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])*) =(?: (.*))?$`)
)

// Read reads either form.
func Read(data []byte) (*List, error) {
	if body := jsondoc.Body(data); body != nil && body[0] == '[' {
		l := &List{}
		if err := jsondoc.Decode(data, &l.Targets); err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		return l, nil
	}
	return readText(data)
}

func readText(data []byte) (*List, error) {
	l := &List{}
	var to map[string]string
	found := false
	for _, line := range lines.All(data) {
		if m := ofTarget.FindStringSubmatch(line); m != nil {
			to, found = map[string]string{}, true
			l.Targets = append(l.Targets, Target{Action: m[1], Target: m[2], Settings: to})
			continue
		}
		if fromCommand.MatchString(line) {
			if l.CommandLine == nil {
				l.CommandLine = map[string]string{}
			}
			to = l.CommandLine
			continue
		}
		if m := setting.FindStringSubmatch(line); m != nil && to != nil {
			to[m[1]] = m[2]
		} else if s := strings.TrimSpace(line); s != "" {
			l.Remarks = append(l.Remarks, s)
		}
	}
	if !found {
		return nil, errors.New("settings: no target in the text")
	}
	return l, nil
}

// Sniff returns a percentage for the text being build settings.
func Sniff(b []byte) int {
	if o := jsondoc.Look(b); o.Kind == '[' && o.Keys["buildSettings"] == "object" {
		return 98
	}
	for _, line := range lines.All(b[:min(len(b), 1<<17)]) {
		if ofTarget.MatchString(line) {
			return 98
		}
	}
	return 0
}

// Only keeps the settings whose names contain a word or, if it has a * or ?, match it as a pattern. Case is ignored.
func (l *List) Only(filter string) {
	filter = strings.ToLower(filter)
	fits := func(name string) bool {
		if !strings.ContainsAny(filter, "*?") {
			return strings.Contains(name, filter)
		}
		ok, err := path.Match(filter, name)
		return ok && err == nil
	}
	for _, t := range l.Targets {
		maps.DeleteFunc(t.Settings, func(name, _ string) bool { return !fits(strings.ToLower(name)) })
	}
}

// Pages are all settings as text, by target and name, in pages of about limit bytes. Values are never cut: a value longer than a page gets
// its own page.
func (l *List) Pages(limit int) []string {
	var pages []string
	var page strings.Builder
	add := func(line string) {
		if page.Len() > 0 && page.Len()+len(line) >= limit {
			pages = append(pages, page.String())
			page.Reset()
		}
		if page.Len() > 0 {
			page.WriteByte('\n')
		}
		page.WriteString(line)
	}
	for _, t := range l.Targets {
		add(fmt.Sprintf("%s (%s): %s", t.Target, t.Action, brief.Count(len(t.Settings), "setting")))
		for _, name := range slices.Sorted(maps.Keys(t.Settings)) {
			add("  " + name + " = " + t.Settings[name])
		}
	}
	return append(pages, page.String())
}

// Product is the path of the target's product; empty if unknown.
func (t Target) Product() string {
	if p := t.Settings["CODESIGNING_FOLDER_PATH"]; p != "" && t.Settings["WRAPPER_NAME"] != "" {
		return p
	}
	if dir, name := t.Settings["BUILT_PRODUCTS_DIR"], t.Settings["FULL_PRODUCT_NAME"]; dir != "" && name != "" {
		return path.Join(dir, name)
	}
	return ""
}

// shown are the most requested settings.
var shown = []string{"PRODUCT_NAME", "PRODUCT_BUNDLE_IDENTIFIER", "CONFIGURATION", "SDKROOT", "PLATFORM_NAME", "ARCHS",
	"IPHONEOS_DEPLOYMENT_TARGET", "MACOSX_DEPLOYMENT_TARGET",
	"SWIFT_VERSION", "DEVELOPMENT_TEAM", "CODE_SIGN_STYLE", "INFOPLIST_FILE", "BUILT_PRODUCTS_DIR"}

// Text is the list in at most limit bytes.
func (l *List) Text(limit int) string {
	w := brief.New(limit)
	w.Linef("build settings of %s", brief.Count(len(l.Targets), "target"))
	w.List("targets", len(l.Targets), func(i int) []string {
		t := l.Targets[i]
		out := []string{fmt.Sprintf("%s (%s): %d settings", t.Target, t.Action, len(t.Settings))}
		if p := t.Product(); p != "" {
			out = append(out, "  product: "+p)
		}
		for _, k := range shown {
			if v := t.Settings[k]; v != "" {
				out = append(out, "  "+k+" = "+v)
			}
		}
		return out
	})
	return w.String()
}
