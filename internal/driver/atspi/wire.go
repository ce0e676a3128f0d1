package atspi

import (
	"math"
	"strings"

	"github.com/godbus/dbus/v5"

	"ios-agent/internal/ui"
)

// Answers on the bus have the types of their own signature, whatever the request expected: these functions take fitting values, and say
// whether a value fitted.

// unwrapped is the first value of an answer, without its variants.
func unwrapped(body []any) any {
	if len(body) == 0 {
		return nil
	}
	return bare(body[0])
}

func bare(v any) any {
	for range 8 { // nested variants
		inner, is := v.(dbus.Variant)
		if !is {
			return v
		}
		v = inner.Value()
	}
	return nil
}

func truth(body []any) bool {
	is, _ := unwrapped(body).(bool)
	return is
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	case int32:
		return float64(n), true
	case uint32:
		return float64(n), true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// whole is a count or an index; -1 for another value.
func whole(v any) int {
	switch n := v.(type) {
	case int32:
		return int(n)
	case uint32:
		return int(min(n, math.MaxInt32))
	}
	return -1
}

const longestText = 4096

// object is the character for an embedded element in a text.
const object = "\uFFFC"

// short limits the length of a text: names are for people.
func short(v any) string {
	s, _ := v.(string)
	s = strings.ReplaceAll(s, object, "") // Chromium's texts have one for every embedded element
	if len(s) <= longestText {
		return s
	}
	return strings.ToValidUTF8(s[:longestText], "") + "…"
}

// refOf reads (so). It drops invalid names and paths: a bus disconnects a client that uses them.
func refOf(v any) (r ref, ok bool) {
	pair, is := v.([]any)
	if !is || len(pair) != 2 {
		return r, false
	}
	name, isName := pair[0].(string)
	path, isPath := pair[1].(dbus.ObjectPath)
	if !isName || !isPath || !path.IsValid() || !isBusName(name) {
		return r, false
	}
	r = ref{name, string(path)}
	return r, !r.none()
}

func isBusName(s string) bool {
	if len(s) < 3 || len(s) > 255 || !strings.Contains(s, ".") || strings.Contains(s, "..") || strings.HasSuffix(s, ".") {
		return false
	}
	rest, unique := strings.CutPrefix(s, ":")
	for i, part := range strings.Split(rest, ".") {
		if part == "" || !unique && part[0] >= '0' && part[0] <= '9' {
			return false
		}
		for _, c := range part {
			if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' && (unique || i > 0)) {
				return false
			}
		}
	}
	return true
}

// refsOf reads a(so), as far as it fits.
func refsOf(v any) (all []ref) {
	rows, _ := v.([][]any)
	for _, row := range rows {
		if r, ok := refOf(row); ok {
			all = append(all, r)
		}
	}
	return all
}

// statesOf reads au: 64 bits.
func statesOf(v any) states {
	words, _ := v.([]uint32)
	var s states
	for i, w := range words {
		if i < 2 {
			s |= states(w) << (32 * i)
		}
	}
	return s
}

func facesOf(v any) (all faces) {
	names, _ := v.([]string)
	for _, n := range names {
		all |= faceNames[n]
	}
	return all
}

// rectOf reads (iiii); nil without a place: hidden items of menus are at the smallest number.
func rectOf(v any) *ui.Rect {
	four, is := v.([]any)
	if !is || len(four) != 4 {
		return nil
	}
	var n [4]float64
	for i := range four {
		x, is := four[i].(int32)
		if !is || x == math.MinInt32 {
			return nil
		}
		n[i] = float64(x)
	}
	if n[2] <= 0 || n[3] <= 0 {
		return nil
	}
	return &ui.Rect{X: n[0], Y: n[1], W: n[2], H: n[3]}
}

// itemsOf reads the answer of Cache.GetItems: a((so)(so)(so)iiassusau), or a((so)(so)(so)a(so)assusau) of older toolkits. It omits items
// that do not fit.
func itemsOf(v any) (all []*item) {
	rows, _ := v.([][]any)
	for _, row := range rows {
		if it := itemOf(row); it != nil {
			all = append(all, it)
		}
	}
	return all
}

func itemOf(row []any) *item {
	old := len(row) == 9
	if len(row) != 10 && !old {
		return nil
	}
	own, ok := refOf(row[0])
	if !ok {
		return nil
	}
	it := &item{ref: own, index: -1, kids: -1}
	it.parent, _ = refOf(row[2])
	rest := row[5:]
	if old {
		it.listed = refsOf(row[3])
		it.kids = len(it.listed)
		rest = row[4:]
	} else {
		it.index, it.kids = whole(row[3]), whole(row[4])
	}
	it.faces, it.name, it.description, it.states = facesOf(rest[0]), short(rest[1]), short(rest[3]), statesOf(rest[4])
	it.role, _ = rest[2].(uint32)
	return it
}
