//go:build darwin || macaxfake

package macax

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Numbers of Core Foundation's headers.
const (
	encodingUTF8  = 0x08000100 // kCFStringEncodingUTF8
	numberSInt64  = 4          // kCFNumberSInt64Type
	numberFloat64 = 6          // kCFNumberFloat64Type
	longestText   = 1 << 20    // units of UTF-16 of one text that are read
)

// text makes a string, which the caller releases.
func (l *library) text(s string) ref {
	bytes := []byte(strings.ToValidUTF8(s, "\uFFFD"))
	return l.stringCreate(0, bytes, len(bytes), encodingUTF8, false)
}

// name is a string that is made once and kept: only for names that stand in this package.
func (l *library) name(s string) ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept, is := l.names[s]
	if !is {
		kept = l.text(s)
		l.names[s] = kept
	}
	return kept
}

// texts makes an array of names, which the caller releases.
func (l *library) texts(names []string) ref {
	all := make([]ref, len(names))
	for i, n := range names {
		all[i] = l.name(n)
	}
	return l.arrayCreate(0, all, len(all), l.arrayCallbacks)
}

// string reads a string; empty when v is none.
func (l *library) string(v ref) string {
	if v == 0 || l.typeOf(v) != l.types.text {
		return ""
	}
	n := min(l.stringLength(v), longestText)
	if n == 0 {
		return ""
	}
	units := make([]uint16, n)
	l.stringCharacters(v, 0, n, units)
	return string(utf16.Decode(units))
}

// bool reads a truth value, or a number that is used as one.
func (l *library) bool(v ref) (value, is bool) {
	if v == 0 {
		return false, false
	}
	switch l.typeOf(v) {
	case l.types.boolean:
		return l.booleanValue(v), true
	case l.types.number:
		return l.int(v) != 0, true
	}
	return false, false
}

// int reads a number; 0 when v is none.
func (l *library) int(v ref) int64 {
	var n int64
	if v != 0 && l.typeOf(v) == l.types.number {
		l.numberInt(v, numberSInt64, &n)
	}
	return n
}

// number reads a number; nil when v is none.
func (l *library) number(v ref) *float64 {
	if v == 0 || l.typeOf(v) != l.types.number {
		return nil
	}
	var f float64
	l.numberFloat(v, numberFloat64, &f)
	return &f
}

// value reads what an element holds: texts as they are, numbers and truth values as text; nil for all else.
func (l *library) value(v ref) *string {
	if v == 0 {
		return nil
	}
	var s string
	switch l.typeOf(v) {
	case l.types.text:
		s = l.string(v)
	case l.types.boolean:
		s = "0"
		if l.booleanValue(v) {
			s = "1" // as the switches that tell a number have it
		}
	case l.types.number:
		if !l.numberIsFloat(v) {
			s = strconv.FormatInt(l.int(v), 10)
			break
		}
		s = strconv.FormatFloat(*l.number(v), 'f', -1, 64)
	default:
		return nil
	}
	return &s
}

// pair reads a point or a size.
func (l *library) pair(v ref, kind uint32) (x, y float64, is bool) {
	var xy [2]float64
	if v == 0 || l.typeOf(v) != l.types.value || !l.valuePair(v, kind, &xy) {
		return 0, 0, false
	}
	return xy[0], xy[1], true
}

// items are the objects of an array that have a type; they are the array's.
func (l *library) items(array ref, of uint) []ref {
	if array == 0 || l.typeOf(array) != l.types.array {
		return nil
	}
	return slices.DeleteFunc(l.all(array), func(v ref) bool { return v == 0 || l.typeOf(v) != of })
}

// all are the objects of an array; they are the array's.
func (l *library) all(array ref) []ref {
	values := make([]ref, l.arrayCount(array))
	if len(values) > 0 {
		l.arrayValues(array, 0, len(values), values)
	}
	return values
}

// pooled runs fn on one thread, within a pool of what frameworks only release there: a thread of Go has none.
func (l *library) pooled(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pool := l.poolPush()
	defer l.poolPop(pool)
	return fn()
}
