package simctl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/flaw"
	"ios-agent/internal/virtualxcode/world"
)

// section is one part of the output of list.
type section struct {
	name    string // its name in arguments and JSON
	heading string
	json    func(*world.World, filter) any
	text    func(*world.World, filter) []string
}

// sections are the parts in the real tool's order.
func sections() []section {
	return []section{
		{"devicetypes", "Device Types", jsonDeviceTypes, textDeviceTypes},
		{"runtimes", "Runtimes", jsonRuntimes, textRuntimes},
		{"devices", "Devices", jsonDevices, textDevices},
		{"pairs", "Device Pairs", jsonPairs, textPairs},
	}
}

// filter holds the search terms: all must match.
type filter []string

// onlyAvailable is the word that is a filter, not a search term.
const onlyAvailable = "available"

// matches reports whether every term occurs in one of the texts.
func (f filter) matches(available bool, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	for _, term := range f {
		if term == onlyAvailable && !available || term != onlyAvailable && !strings.Contains(all, strings.ToLower(term)) {
			return false
		}
	}
	return true
}

func (f filter) runtime(r world.Runtime) bool {
	return f.matches(r.Unavailable == "", r.Name(), r.ID, r.Build)
}

func list(_ context.Context, c *call) error {
	asJSON, verbose := false, false
	options := map[string]*bool{"-j": &asJSON, "--json": &asJSON, "-v": &verbose, "-e": &verbose}
	var terms filter
	for _, arg := range c.Args {
		if set := options[arg]; set != nil {
			*set = true
			continue
		}
		if strings.HasPrefix(arg, "-") {
			return errUsage
		}
		terms = append(terms, arg)
	}
	shown := sections()
	if len(terms) > 0 {
		if i := slices.IndexFunc(shown, func(s section) bool { return s.name == terms[0] }); i >= 0 {
			shown, terms = shown[i:i+1], terms[1:]
		}
	}
	if c.happens(flaw.SimctlGarbage) {
		fmt.Fprint(c.Stdout, garbage)
		return nil
	}
	c.printList(shown, terms, asJSON)
	return nil
}

// garbage is the output of list with a broken CoreSimulatorService.
const garbage = "{\n  \"devices\" : {\n    \"com.apple.Core\x00\xff\xfeSimulatorService connection interrupted"

func (c *call) printList(shown []section, terms filter, asJSON bool) {
	var all object
	bare := c.happens(flaw.NoRuntime)
	for _, s := range shown {
		terms := terms
		if bare && s.name != "devicetypes" {
			terms = filter{"\x00"} // in no name
		}
		if asJSON {
			all = append(all, member{s.name, s.json(c.world, terms)})
			continue
		}
		fmt.Fprintf(c.Stdout, "== %s ==\n", s.heading)
		for _, line := range s.text(c.world, terms) {
			fmt.Fprintln(c.Stdout, line)
		}
	}
	if asJSON {
		fmt.Fprint(c.Stdout, applejson.Encode(all))
	}
}

// devicesByRuntime are the filtered devices, by the id of their runtime.
func devicesByRuntime(w *world.World, f filter) map[string][]world.Device {
	out := map[string][]world.Device{}
	for _, d := range w.Devices() {
		r := d.Runtime
		if f.matches(r.Unavailable == "", d.Name, d.UDID, string(d.State), r.Name(), r.ID, d.Type.ID) {
			out[r.ID] = append(out[r.ID], d)
		}
	}
	return out
}
