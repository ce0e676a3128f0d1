// Package sdks reads the SDKs that `xcodebuild -showsdks` and `xcodebuild -version -sdk` print, as text and as JSON. Read returns a List.
// The package does not run xcodebuild: its callers do.
package sdks

import (
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/apple/jsondoc"
	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

// List are the SDKs in their order.
type List struct {
	SDKs    []SDK    `json:"sdks"`
	Xcode   string   `json:"xcode,omitempty"`
	Build   string   `json:"build,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
}

// MarshalJSON also writes the parts that were not understood.
func (l List) MarshalJSON() ([]byte, error) {
	type plain List
	return jsondoc.Encode(plain(l))
}

// SDK is one SDK.
type SDK struct {
	Name            string        `json:"canonicalName,omitempty"` // iphoneos18.5
	Display         string        `json:"displayName,omitempty"`   // iOS 18.5
	Platform        string        `json:"platform,omitempty"`
	PlatformPath    string        `json:"platformPath,omitempty"`
	PlatformVersion string        `json:"platformVersion,omitempty"`
	Path            string        `json:"sdkPath,omitempty"`
	Version         string        `json:"sdkVersion,omitempty"`
	Build           string        `json:"productBuildVersion,omitempty"`
	Extra           jsondoc.Extra `json:"-"`
}

var (
	optionLine = lazyregexp.New(`^\s+(.+?)\s+-sdk (\S+)$`)
	headLine   = lazyregexp.New(`^(\S+\.sdk) - (.+) \((\S+)\)$`)
	fieldLine  = lazyregexp.New(`^(SDKVersion|Path|PlatformVersion|PlatformPath|BuildID|ProductBuildVersion|ProductCopyright` +
		`|ProductName|ProductVersion|ProductUserVisibleVersion|iOSSupportVersion): (.*)$`)
	xcodeLine   = lazyregexp.New(`^Xcode (\S+)$`)
	buildLine   = lazyregexp.New(`^Build version (\S+)$`)
	headingLine = lazyregexp.New(`^\S.* SDKs:$`)
)

// Read reads any of the forms.
func Read(data []byte) (*List, error) {
	l := &List{}
	if body := jsondoc.Body(data); body != nil && body[0] == '[' {
		if err := jsondoc.Decode(data, &l.SDKs); err != nil {
			return nil, fmt.Errorf("sdks: %w", err)
		}
		return l, nil
	}
	for _, line := range lines.All(data) {
		l.line(line)
	}
	if len(l.SDKs) == 0 {
		return nil, errors.New("sdks: no SDK in the text")
	}
	return l, nil
}

func (l *List) line(line string) {
	if m := optionLine.FindStringSubmatch(line); m != nil {
		l.SDKs = append(l.SDKs, SDK{Display: m[1], Name: m[2]})
		return
	}
	if m := headLine.FindStringSubmatch(line); m != nil {
		l.SDKs = append(l.SDKs, SDK{Display: m[2], Name: m[3]})
		return
	}
	if m := fieldLine.FindStringSubmatch(line); m != nil && len(l.SDKs) > 0 {
		s := &l.SDKs[len(l.SDKs)-1]
		if to := map[string]*string{"SDKVersion": &s.Version, "Path": &s.Path, "PlatformVersion": &s.PlatformVersion,
			"PlatformPath": &s.PlatformPath, "ProductBuildVersion": &s.Build}[m[1]]; to != nil {
			*to = m[2]
			return
		}
	}
	if m := xcodeLine.FindStringSubmatch(line); m != nil {
		l.Xcode = m[1]
	} else if m := buildLine.FindStringSubmatch(line); m != nil {
		l.Build = m[1]
	} else if s := strings.TrimSpace(line); s != "" && !headingLine.MatchString(line) {
		l.Remarks = append(l.Remarks, s)
	}
}

// Sniff returns a percentage for the text being a list of SDKs.
func Sniff(b []byte) int {
	if o := jsondoc.Look(b); o.Kind == '[' && o.Has("canonicalName", "sdkPath") {
		return 98
	}
	for _, line := range lines.All(b[:min(len(b), 1<<14)]) {
		if headingLine.MatchString(line) || headLine.MatchString(line) {
			return 95
		}
	}
	return 0
}

// Text is the list in at most limit bytes.
func (l *List) Text(limit int) string {
	w := brief.New(limit)
	w.Line(brief.Join(", ", brief.Count(len(l.SDKs), "SDK"), l.Xcode, l.Build))
	w.List("SDKs", len(l.SDKs), func(i int) []string {
		s := l.SDKs[i]
		return []string{brief.Join(" ", s.Name, "("+s.Display+")", s.Build, s.Path)}
	})
	return w.String()
}
