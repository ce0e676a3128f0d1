package oneline

import (
	"reflect"
	"strings"
)

// Draw returns the text of a value. It draws a copy in which every text is on one line, so that names, paths, versions and answers of other
// programs cannot write a line that looks like ios-agent's, however the drawing function uses them. A field with the tag `lines` keeps its
// lines: ios-agent wrote them, or the drawing function puts them behind a margin. Unexported fields keep theirs too, because their package
// wrote them.
func Draw[T any](value T, draw func(T) string) string {
	v := reflect.ValueOf(&value).Elem()
	if inLine(v, 0) {
		return draw(value)
	}
	putInLine(v, 0)
	return strings.ReplaceAll(draw(value), stand, broken)
}

// stand replaces a line break in a text while the value is drawn. A quotation keeps it; it would double the backslash of a \n.
const stand = "\u2424"

// deepest is the maximum depth of the walk; answers are never nested as deep.
const deepest = 256

// keepsLines is the tag of a field whose text has several lines.
const keepsLines = "lines"

// inLine reports whether all texts of the value are already on one line.
func inLine(v reflect.Value, depth int) bool {
	if depth > deepest {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return !strings.Contains(v.String(), "\n")
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || inLine(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !plain(f) && shown(v.Type().Field(i)) && !inLine(f, depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := 0; v.Type().Elem().Kind() != reflect.Uint8 && i < v.Len(); i++ {
			if !inLine(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		for all := v.MapRange(); all.Next(); {
			if !inLine(all.Key(), depth+1) || !inLine(all.Value(), depth+1) {
				return false
			}
		}
	}
	return true
}

// plain reports whether a quick check shows that a field has no line break. That is the case for most fields. An answer of a large screen
// has thousands of them, and reading the tags of each takes longer.
func plain(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.String:
		return !strings.Contains(f.String(), "\n")
	case reflect.Slice, reflect.Map:
		return f.Len() == 0
	case reflect.Pointer, reflect.Interface:
		return f.IsNil()
	case reflect.Struct, reflect.Array:
		return false
	}
	return true
}

// shown reports whether the texts of a field must be on one line. Fields with the tag `lines` and unexported fields are exempt; only the
// output's own package writes the latter.
func shown(f reflect.StructField) bool {
	inner := f.Anonymous && f.Type.Kind() == reflect.Struct // its fields may be exported although its name is not
	return (f.IsExported() || inner) && f.Tag.Get(keepsLines) == ""
}

// putInLine puts each text of a settable value on one line. It copies the target of a pointer first, so that the caller's value stays
// unchanged.
func putInLine(v reflect.Value, depth int) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.NewReplacer("\r\n", stand, "\n", stand).Replace(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			whole := reflect.New(v.Type().Elem())
			whole.Elem().Set(v.Elem())
			putInLine(whole.Elem(), depth+1)
			v.Set(whole)
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(copied(v.Elem(), depth))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if shown(v.Type().Field(i)) {
				putInLine(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 && v.Len() > 0 {
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(list, v)
			putElements(list, depth)
			v.Set(list)
		}
	case reflect.Array:
		putElements(v, depth)
	case reflect.Map:
		if !v.IsNil() {
			putMap(v, depth)
		}
	}
}

func putElements(list reflect.Value, depth int) {
	for i := range list.Len() {
		putInLine(list.Index(i), depth+1)
	}
}

func putMap(v reflect.Value, depth int) {
	whole := reflect.MakeMapWithSize(v.Type(), v.Len())
	for all := v.MapRange(); all.Next(); {
		whole.SetMapIndex(copied(all.Key(), depth), copied(all.Value(), depth))
	}
	v.Set(whole)
}

// copied returns a copy of a value that cannot be set, with each of its texts on one line.
func copied(v reflect.Value, depth int) reflect.Value {
	whole := reflect.New(v.Type()).Elem()
	whole.Set(v)
	putInLine(whole, depth+1)
	return whole
}
