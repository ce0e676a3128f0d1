package xcodebuild

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/project"
)

// question is an option that prints an answer instead of building.
type question struct {
	option string
	answer func(*session, context.Context) error
}

// questions in order of precedence.
func questions() []question {
	return []question{
		{"-version", (*session).version}, {"-checkFirstLaunchStatus", (*session).firstLaunch}, {"-exportArchive", (*session).exportArchive},
		{"-resolvePackageDependencies", (*session).resolveOnly},
		{"-showTestPlans", (*session).showTestPlans}, {"-showsdks", (*session).showSDKs}, {"-list", (*session).showList},
		{"-showdestinations", (*session).showDestinations}, {"-showBuildSettings", (*session).showSettings},
	}
}

// Values of MissingVariable for an Xcode that is not ready.
const (
	licenceWord     = "licence"
	firstLaunchWord = "first-launch"
)

// LicenceText is what Apple's tools print before somebody agrees to the licence.
const LicenceText = "\nYou have not agreed to the Xcode license agreements. Please run 'sudo xcodebuild -license' from within a Terminal " +
	"window to review and agree to the Xcode and Apple SDKs license.\n"

// licence plays -license check; the other words need the user who may accept for this Mac.
func (s *session) licence() error {
	switch {
	case s.license != "check":
		return refuse(exitUsage, "-license %s is not played", s.license)
	case s.lacks(licenceWord):
		return refusal{exit: exitNotReady, plain: true, text: LicenceText}
	}
	return nil
}

// firstLaunch prints no output; its exit status is the answer.
func (s *session) firstLaunch(context.Context) error {
	if s.lacks(firstLaunchWord) {
		return refusal{exit: exitNotReady, plain: true}
	}
	return nil
}

func (s *session) version(context.Context) error {
	if s.sdk == "" && !s.asked["-sdk"] {
		fmt.Fprintf(s.Stdout, "Xcode %s\nBuild version %s\n", xcodeVersion, xcodeBuild)
		return nil
	}
	found := slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool {
		return s.sdk != "" && p.sdk != strings.TrimRight(s.sdk, "0123456789.")
	})
	if len(found) == 0 {
		return refuse(exitUsage, "SDK %q cannot be located.", s.sdk)
	}
	if s.asked["-json"] {
		return s.printSDKs(found)
	}
	for _, p := range found {
		fmt.Fprintf(s.Stdout, "%s%s.sdk - %s (%s)\nSDKVersion: %s\nPath: %s\nPlatformVersion: %s\nPlatformPath: "+
			"%s\nProductBuildVersion: %s\nProductCopyright: 1983-2025 Apple Inc.\nProductName: %s\nProductVersion: %s\n\n",
			p.folder, p.version, p.display, p.sdkName(), p.version, p.sdkPath(), p.version, p.path(), p.build, p.product(), p.version)
	}
	if s.sdk == "" {
		fmt.Fprintf(s.Stdout, "Xcode %s\nBuild version %s\n", xcodeVersion, xcodeBuild)
	}
	return nil
}

var products = map[string]string{"iphone": "iPhone OS", "macosx": "macOS", "applet": "Apple TVOS", "xros": "xrOS", "xrsimu": "xrOS",
	"watcho": "Watch OS", "watchs": "Watch OS"}

// runsIOSApps are the SDKs of systems that run iOS apps.
var runsIOSApps = map[string]bool{"macosx": true, "xros": true, "xrsimulator": true}

func (p platform) product() string { return products[p.sdk[:min(6, len(p.sdk))]] }

func (s *session) printSDKs(all []platform) error {
	list := []any{}
	for _, p := range all {
		about := map[string]any{"buildID": buildID(p.build), "canonicalName": p.sdkName(), "displayName": p.display, "isBaseSdk": true,
			"platform":     p.sdk,
			"platformPath": p.path(), "platformVersion": p.version, "productBuildVersion": p.build,
			"productCopyright": "1983-2025 Apple Inc.",
			"productName":      p.product(), "productVersion": p.version, "sdkPath": p.sdkPath(), "sdkVersion": p.version}
		if p.sdk == "macosx" {
			about["productUserVisibleVersion"] = p.version
		}
		if runsIOSApps[p.sdk] {
			ios, _ := platformOf("iphoneos")
			about["iOSSupportVersion"] = ios.version
		}
		list = append(list, about)
	}
	fmt.Fprint(s.Stdout, applejson.Style{PlainSlashes: true}.Encode(list))
	return nil
}

func (s *session) showSDKs(context.Context) error {
	if s.asked["-json"] {
		return s.printSDKs(platforms)
	}
	for i := 0; i < len(platforms); i++ {
		p := platforms[i]
		title := strings.TrimSuffix(p.name, " Simulator") + " SDKs"
		if p.simulator() {
			title = p.name + " SDKs"
		}
		fmt.Fprintf(s.Stdout, "%s:\n\t%-30s\t-sdk %s\n\n", title, p.display, p.sdkName())
	}
	return nil
}

func (s *session) showList(context.Context) error {
	s.invocation()
	if err := s.open(); err != nil {
		return err
	}
	c := s.container
	schemes := []any{}
	for _, scheme := range c.Schemes {
		schemes = append(schemes, scheme.Name)
	}
	about := map[string]any{"name": c.Name, "schemes": schemes}
	var p *project.Project
	if !c.Workspace {
		p = c.Projects[0]
		about["targets"], about["configurations"] = names(p.Targets, func(t project.Target) string { return t.Name }),
			names(p.Configurations, func(c project.Configuration) string { return c.Name })
	}
	if s.asked["-json"] {
		fmt.Fprint(s.Stdout, applejson.Style{PlainSlashes: true}.Encode(map[string]any{c.Kind(): about}))
		return nil
	}
	fmt.Fprintf(s.Stdout, "Information about %s \"%s\":\n", c.Kind(), c.Name)
	if p != nil {
		section(s, "Targets", about["targets"])
		section(s, "Build Configurations", about["configurations"])
		fmt.Fprintf(s.Stdout, "    If no build configuration is specified and -scheme is not passed then \"%s\" is used.\n\n", "Release")
	}
	section(s, "Schemes", schemes)
	return nil
}

func names[T any](all []T, name func(T) string) []any {
	out := []any{}
	for _, item := range all {
		out = append(out, name(item))
	}
	return out
}

func section(s *session, title string, items any) {
	fmt.Fprintf(s.Stdout, "    %s:\n", title)
	for _, item := range items.([]any) {
		fmt.Fprintf(s.Stdout, "        %v\n", item)
	}
	fmt.Fprintln(s.Stdout)
}

func (s *session) showDestinations(ctx context.Context) error {
	s.invocation()
	if err := s.openAndChoose(); err != nil {
		return err
	}
	if s.scheme.Name == "" {
		return refuse(exitFailed, "The -showdestinations option requires a scheme. Use -list to see the schemes in this project.")
	}
	if err := s.list(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "\n%s", s.printDestinations())
	return nil
}

func (s *session) openAndChoose() error {
	if err := s.open(); err != nil {
		return err
	}
	if err := s.choose(); err != nil {
		return err
	}
	return s.checkConfiguration()
}

func (s *session) showSettings(ctx context.Context) error {
	s.invocation()
	if err := s.openAndChoose(); err != nil {
		return err
	}
	if err := s.resolve(ctx); err != nil {
		return err
	}
	entries := []any{}
	for _, name := range s.scheme.Build {
		b, ok := s.buildable(name)
		if !ok {
			continue
		}
		entries = append(entries, map[string]any{"action": "build", "target": name, "buildSettings": anyMap(b.settings)})
		if !s.asked["-json"] {
			fmt.Fprintf(s.Stdout, "Build settings for action build and target %s:\n", quoted(name))
			for _, key := range slices.Sorted(maps.Keys(b.settings)) {
				fmt.Fprintf(s.Stdout, "    %s = %s\n", key, b.settings[key])
			}
			fmt.Fprintln(s.Stdout)
		}
	}
	if s.asked["-json"] {
		fmt.Fprint(s.Stdout, applejson.Style{PlainSlashes: true}.Encode(entries))
	}
	return nil
}

func anyMap(m map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range m {
		out[key] = value
	}
	return out
}

func quoted(name string) string {
	if strings.ContainsAny(name, " ") {
		return `"` + name + `"`
	}
	return name
}
