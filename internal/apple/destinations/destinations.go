// Package destinations reads where xcodebuild can build, run and test: the answer of -showdestinations, and the same blocks inside
// xcodebuild's errors. Read returns a List; a Reader takes blocks inside other output line by line.
package destinations

import (
	"errors"
	"strings"

	"ios-agent/internal/apple/lines"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/lazyregexp"
)

// Destination is one `{ platform:iOS Simulator, id:…, OS:18.1, name:iPhone 16 }`.
type Destination struct {
	Platform string            `json:"platform,omitempty"`
	Arch     string            `json:"arch,omitempty"`
	Variant  string            `json:"variant,omitempty"`
	ID       string            `json:"id,omitempty"`
	OS       string            `json:"os,omitempty"`
	Name     string            `json:"name,omitempty"`
	Error    string            `json:"error,omitempty"` // why it is not eligible
	Other    map[string]string `json:"other,omitempty"` // unknown keys
	Raw      string            `json:"raw,omitempty"`   // the line, if a part of it belongs to no key
}

// List holds the destinations of a scheme. Requested is set only in errors.
type List struct {
	Scheme     string        `json:"scheme,omitempty"`
	Requested  []Destination `json:"requested,omitempty"`
	Available  []Destination `json:"available,omitempty"`
	Ineligible []Destination `json:"ineligible,omitempty"`
	Remarks    []string      `json:"remarks,omitempty"` // lines between the blocks
}

// known are the keys that xcodebuild prints. Values contain commas and colons ("Designed for [iPad,iPhone]", "…-iphoneos:placeholder",
// whole sentences), so that only a known key after ", " begins the next pair.
var known = lazyregexp.New(`(?:^|, ?)(platform|arch|variant|id|OS|name|error|generic|type|device|model|hostArchitecture):`)

// ParseLine reads one destination; false if the line is something else.
func ParseLine(line string) (Destination, bool) {
	body, ok := strings.CutPrefix(strings.TrimSpace(line), "{")
	if !ok {
		return Destination{}, false
	}
	body, ok = strings.CutSuffix(body, "}")
	if !ok {
		return Destination{}, false
	}
	body = strings.TrimSpace(body)
	at := known.FindAllStringSubmatchIndex(body, -1)
	if len(at) == 0 {
		return Destination{}, false
	}
	var d Destination
	if at[0][0] > 0 {
		d.Raw = strings.TrimSpace(line)
	}
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		key := body[m[2]:m[3]]
		if key == "error" {
			end = len(body) // a sentence, always last
		}
		d.set(key, strings.TrimSpace(body[m[1]:end]))
		if key == "error" {
			break
		}
	}
	return d, true
}

func (d *Destination) set(key, value string) {
	to := map[string]*string{
		"platform": &d.Platform, "arch": &d.Arch, "variant": &d.Variant, "id": &d.ID, "OS": &d.OS, "name": &d.Name,
		"error": &d.Error,
	}[key]
	if to != nil && *to == "" {
		*to = value
		return
	}
	if d.Other == nil {
		d.Other = map[string]string{}
	}
	d.Other[key] = value
}

// Placeholder reports whether it is a placeholder such as "Any iOS Device", not a device.
func (d Destination) Placeholder() bool {
	return strings.HasSuffix(d.ID, ":placeholder") || d.ID == "" && strings.HasPrefix(d.Name, "Any ")
}

// String is the destination in the form of -destination, followed by its name.
func (d Destination) String() string {
	s := brief.Join(", ", d.Platform, pair("arch", d.Arch), pair("variant", d.Variant), pair("OS", d.OS), pair("name", d.Name),
		pair("id", d.ID))
	return brief.Join(" — ", s, d.Error)
}

func pair(key, value string) string {
	if value == "" {
		return ""
	}
	return key + ":" + value
}

// heading is the heading of a block; Xcode 27 has other words for it.
var heading = lazyregexp.New(
	`^\s*(?:(Available|Ineligible) destinations|Destinations (compatible|incompatible))(?: (?:for|with) the "(.*)" \w+)?:\s*$`)

// Reader takes the lines of such blocks one by one.
type Reader struct {
	List
	section *[]Destination
}

// Line takes one line and reports whether it belongs to a block of destinations. A destination before the first heading is the requested
// one.
func (r *Reader) Line(line string) bool {
	if m := heading.FindStringSubmatch(line); m != nil {
		r.section = &r.Available
		if m[1] == "Ineligible" || m[2] == "incompatible" {
			r.section = &r.Ineligible
		}
		if m[3] != "" {
			r.Scheme = m[3]
		}
		return true
	}
	d, ok := ParseLine(line)
	if !ok {
		return false
	}
	if r.section == nil {
		r.section = &r.Requested
	}
	*r.section = append(*r.section, d)
	return true
}

// Heading reports whether a line opens a block.
func Heading(line string) bool { return heading.MatchString(line) }

// Read reads the output of `xcodebuild -showdestinations`.
func Read(data []byte) (List, error) {
	var r Reader
	for _, line := range lines.All(data) {
		if !r.Line(line) && strings.TrimSpace(line) != "" {
			r.Remarks = append(r.Remarks, strings.TrimSpace(line))
		}
	}
	if r.section == nil {
		return List{}, errors.New("destinations: no block of destinations in the text")
	}
	return r.List, nil
}

// Sniff returns a percentage for the text being the answer of -showdestinations.
func Sniff(b []byte) int {
	found := false
	for _, line := range lines.All(b[:min(len(b), 1<<18)]) {
		if strings.HasPrefix(line, "xcodebuild: error:") {
			return 10 // an error that contains such a block
		}
		found = found || Heading(line)
	}
	if found {
		return 95
	}
	return 0
}

// Text is the list in at most limit bytes.
func (l List) Text(limit int) string {
	w := brief.New(limit)
	w.Linef("scheme %s: %s, %d ineligible", l.Scheme, brief.Count(len(l.Available), "destination"), len(l.Ineligible))
	for _, d := range l.Requested {
		w.Line("requested: " + d.String())
	}
	w.List("destinations", len(l.Available), func(i int) []string { return []string{l.Available[i].String()} })
	w.List("ineligible destinations", len(l.Ineligible), func(i int) []string { return []string{"ineligible: " + l.Ineligible[i].String()} })
	return w.String()
}
