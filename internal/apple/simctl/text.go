package simctl

import (
	"encoding/json"
	"errors"
	"strings"

	"ios-agent/internal/text/lazyregexp"
)

const udidForm = `[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`

// Names may contain parentheses, so every line is read from its fixed end: the last UDID, the id.
var (
	sectionLine = lazyregexp.New(`^== (.+) ==\s*$`)
	headingLine = lazyregexp.New(`^-- (.+) --\s*$`)
	deviceLine  = lazyregexp.New(`^\s+(.+) \((` + udidForm + `)\) \(([^()]*)\)(?: (\(.*\)))?\s*$`)
	runtimeLine = lazyregexp.New(`^(.+?)(?: \(([^()]*) - ([^()]*)\))?` +
		` (?:- |\()(com\.apple\.CoreSimulator\.SimRuntime\.[^\s()]+)\)?(?: (\(.*\)))?\s*$`)
	typeLine = lazyregexp.New(`^(.+) \((com\.apple\.CoreSimulator\.SimDeviceType\.[^\s()]+)\)\s*$`)
	pairLine = lazyregexp.New(`^(` + udidForm + `) (\(.*\))\s*$`)
	halfLine = lazyregexp.New(`^\s+(Watch|Phone): .+ \((` + udidForm + `)\) \([^()]*\)\s*$`)
)

const unavailablePrefix = "Unavailable: "

// ParseListText reads the text form of `simctl list`, whole or some sections of it, for tools that print only text. A text without any
// section is an error.
func ParseListText(b []byte) (List, error) {
	r := textReader{List: List{Raw: map[string]json.RawMessage{}}}
	lines := map[string]func(string) bool{
		"Devices":      r.device,
		"Runtimes":     r.runtime,
		"Device Types": r.deviceType,
		"Device Pairs": r.pair,
	}
	var read func(string) bool
	seen := false
	for line := range strings.Lines(strings.ToValidUTF8(string(b), "\uFFFD")) {
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			read, seen, r.heading = lines[m[1]], true, ""
			if read == nil {
				r.unparsed([]byte(line))
			}
			continue
		}
		if read == nil || !read(strings.TrimRight(line, "\r\n")) {
			r.unparsed([]byte(line))
		}
	}
	if !seen {
		return List{}, errors.New("simctl list: no section in the text")
	}
	r.settle()
	return r.List, nil
}

type textReader struct {
	List
	heading     string
	unavailable bool // the heading says so for all devices below it
}

func (r *textReader) device(line string) bool {
	if m := headingLine.FindStringSubmatch(line); m != nil {
		r.heading, r.unavailable = strings.CutPrefix(m[1], unavailablePrefix)
		return true
	}
	m := deviceLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	d := Device{Name: m[1], UDID: m[2], State: m[3], Section: r.heading}
	d.Available, d.AvailabilityError = readAvailability(m[4])
	d.Available = d.Available && !r.unavailable
	r.Devices = append(r.Devices, d)
	return true
}

func (r *textReader) runtime(line string) bool {
	m := runtimeLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	rt := Runtime{Name: m[1], Version: m[2], Build: m[3], ID: m[4]}
	rt.Platform, _, _ = SplitRuntimeID(rt.ID)
	rt.Available, rt.AvailabilityError = readAvailability(m[5])
	r.Runtimes = append(r.Runtimes, rt)
	return true
}

func (r *textReader) deviceType(line string) bool {
	m := typeLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	r.DeviceTypes = append(r.DeviceTypes, DeviceType{Name: m[1], ID: m[2]})
	return true
}

// pair reads the line of a pair, then the lines of its halves.
func (r *textReader) pair(line string) bool {
	if m := pairLine.FindStringSubmatch(line); m != nil {
		r.Pairs = append(r.Pairs, Pair{ID: m[1], State: inside(m[2])})
		return true
	}
	m := halfLine.FindStringSubmatch(line)
	if m == nil || len(r.Pairs) == 0 {
		return false
	}
	p := &r.Pairs[len(r.Pairs)-1]
	*map[string]*string{"Watch": &p.Watch, "Phone": &p.Phone}[m[1]] = m[2]
	return true
}
