//go:build darwin || macaxfake

package macax

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Numbers from Core Foundation's headers.
const (
	encodingUTF8  = 0x08000100 // kCFStringEncodingUTF8
	numberSInt64  = 4          // kCFNumberSInt64Type
	numberFloat64 = 6          // kCFNumberFloat64Type
	longestText   = 1 << 20    // maximum number of UTF-16 units that are read of one text
)

// text makes a string, which the caller releases.
func (l *library) text(s string) ref {
	bytes := []byte(strings.ToValidUTF8(s, "\uFFFD"))
	return l.stringCreate(0, bytes, len(bytes), encodingUTF8, false)
}

// name is a permanent string: only for the names in this package.
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

// string reads a string; "" for another type.
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

// bool reads a truth value, or a number that stands for one.
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

// int reads a number; 0 for another type.
func (l *library) int(v ref) int64 {
	var n int64
	if v != 0 && l.typeOf(v) == l.types.number {
		l.numberInt(v, numberSInt64, &n)
	}
	return n
}

// number reads a number; nil for another type.
func (l *library) number(v ref) *float64 {
	if v == 0 || l.typeOf(v) != l.types.number {
		return nil
	}
	var f float64
	l.numberFloat(v, numberFloat64, &f)
	return &f
}

// value reads an element's value: text unchanged, numbers and truth values as text; nil for another type.
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
			s = "1" // as switches with a numeric value have it
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

// items are the objects of one type in an array; the array retains them.
func (l *library) items(array ref, of uint) []ref {
	if array == 0 || l.typeOf(array) != l.types.array {
		return nil
	}
	return slices.DeleteFunc(l.all(array), func(v ref) bool { return v == 0 || l.typeOf(v) != of })
}

// all are the objects of an array; the array retains them.
func (l *library) all(array ref) []ref {
	values := make([]ref, l.arrayCount(array))
	if len(values) > 0 {
		l.arrayValues(array, 0, len(values), values)
	}
	return values
}

// pooled runs fn on one thread and with an autorelease pool, which Go's threads lack.
func (l *library) pooled(fn func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pool := l.poolPush()
	defer l.poolPop(pool)
	return fn()
}
