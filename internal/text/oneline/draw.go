package oneline

import (
	"cmp"
	"reflect"
	"strings"

	"ios-agent/internal/hint"
)

// Draw returns the text of a value. It draws a copy in which every text is on one line and has no fact of package hint: names, paths,
// versions and answers of other programs cannot write a line that looks like ios-agent's, or advice. A field with the tag `lines` keeps its
// text: ios-agent wrote its lines, or the drawing function puts them behind a margin. A field that hint.Advises names, or
// with the tag `facts`, keeps its facts. Unexported fields are unchanged too: their package wrote them.
func Draw[T any](value T, draw func(T) string) string {
	v := reflect.ValueOf(&value).Elem()
	if harmless(v, 0) {
		return draw(value)
	}
	tame(v, 0, "", false)
	return strings.ReplaceAll(draw(value), stand, broken)
}

// stand replaces a line break in a text while the value is drawn. A quotation keeps it; it would double the backslash of a \n.
const stand = "\u2424"

// deepest is the maximum depth of the walk; answers are never nested as deep.
const deepest = 256

// keepsLines is the tag of a field whose text has several lines.
const keepsLines = "lines"

// keepsFacts is the tag of a field with sentences of ios-agent's, in which outside text is quoted or escaped.
const keepsFacts = "facts"

// harmless reports whether all texts that can be seen from here stand on one line and have no facts.
func harmless(v reflect.Value, depth int) bool {
	if depth > deepest {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return plainText(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || harmless(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !plain(f) && shown(v.Type().Field(i)) && !harmless(f, depth+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		for i := 0; v.Type().Elem().Kind() != reflect.Uint8 && i < v.Len(); i++ {
			if !harmless(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		for all := v.MapRange(); all.Next(); {
			if !harmless(all.Key(), depth+1) || !harmless(all.Value(), depth+1) {
				return false
			}
		}
	}
	return true
}

func plainText(text string) bool { return !strings.Contains(text, "\n") && !hint.Has(text) }

// plain reports whether a field is seen at once to be harmless. Most are: an answer of a large screen has thousands, and reading their tags
// takes longer.
func plain(f reflect.Value) bool {
	switch f.Kind() {
	case reflect.String:
		return plainText(f.String())
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

// tame puts each text of a settable value on one line, and escapes facts unless the text advises. It copies pointers' targets before. The
// field under the name holds the value.
func tame(v reflect.Value, depth int, holder string, advises bool) {
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		text := strings.NewReplacer("\r\n", stand, "\n", stand).Replace(v.String())
		if !advises {
			text = hint.Escape(text)
		}
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			v.Set(copied(v.Elem(), depth, holder, advises).Addr())
		}
	case reflect.Interface:
		if !v.IsNil() {
			v.Set(copied(v.Elem(), depth, holder, advises))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); shown(f) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				tame(v.Field(i), depth+1, cmp.Or(name, holder), hint.Advises(holder, name) || f.Tag.Get(keepsFacts) != "")
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 && v.Len() > 0 {
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(list, v)
			tameElements(list, depth, holder, advises)
			v.Set(list)
		}
	case reflect.Array:
		tameElements(v, depth, holder, advises)
	case reflect.Map:
		if !v.IsNil() {
			whole := reflect.MakeMapWithSize(v.Type(), v.Len())
			for all := v.MapRange(); all.Next(); {
				whole.SetMapIndex(copied(all.Key(), depth, "", false), copied(all.Value(), depth, "", false))
			}
			v.Set(whole)
		}
	}
}

func tameElements(list reflect.Value, depth int, holder string, advises bool) {
	for i := range list.Len() {
		tame(list.Index(i), depth+1, holder, advises)
	}
}

// copied is a tamed copy of a value that cannot be set.
func copied(v reflect.Value, depth int, holder string, advises bool) reflect.Value {
	whole := reflect.New(v.Type()).Elem()
	whole.Set(v)
	tame(whole, depth+1, holder, advises)
	return whole
}
