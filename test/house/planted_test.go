package house_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"ios-agent/internal/fault"
)

// planter makes values of any type whose texts are all hostile, or only the one at a place.
type planter struct {
	text   string
	only   string // the place that gets the text; the others get a plain word. Empty: all get it
	yes    bool   // what a bool is
	number int    // what a number is
	// found are the places of texts, in the order of the walk.
	found []string
	// tag hears of fields whose lines stay, and why; nil: nobody wants to know.
	tag func(place, tag string)
}

// value is a value of a type, as deep as answers are.
func (p *planter) value(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	p.fill(v, of.String(), 0)
	return v
}

// ours is the tag of a field whose lines were drawn before, each of them one of ours.
const ours = "ours"

const deepest = 7

func (p *planter) fill(v reflect.Value, place string, depth int) {
	if depth > deepest || p.special(v, place) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(p.said(place))
	case reflect.Bool:
		v.SetBool(p.yes)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(p.number))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(p.number))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(p.number))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		p.fill(v.Elem(), place, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		p.fill(v.Index(0), place+"[]", depth+1)
	case reflect.Map:
		p.fillMap(v, place, depth)
	case reflect.Struct:
		p.fillStruct(v, place, depth)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(p.said(place)))
		}
	}
}

// special are types whose values are no fields.
func (p *planter) special(v reflect.Value, place string) bool {
	switch v.Type() {
	case reflect.TypeFor[fault.Code]():
		v.SetString(string(fault.AppNotFound)) // of our own table
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 0)))
	case reflect.TypeFor[json.RawMessage]():
		raw, _ := json.Marshal(p.said(place))
		v.SetBytes(raw)
	default:
		return false
	}
	return true
}

func (p *planter) said(place string) string {
	p.found = append(p.found, place)
	if p.only == "" || p.only == place {
		return p.text
	}
	return "plain"
}

func (p *planter) fillMap(v reflect.Value, place string, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	p.fill(key, place+"{key}", depth+1)
	p.fill(value, place+"{}", depth+1)
	v.SetMapIndex(key, value)
}

// fillStruct fills what others can see, and of answers themselves what only their packages see: their texts are made of it.
func (p *planter) fillStruct(v reflect.Value, place string, depth int) {
	answer := strings.HasPrefix(v.Type().PkgPath(), "ios-agent/internal/op")
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if !field.IsExported() {
			if !answer || !v.CanAddr() {
				continue
			}
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
		at, tag := place+"."+field.Name, field.Tag.Get("lines")
		if tag != "" && p.tag != nil {
			p.tag(at, tag)
		}
		if tag != ours {
			p.fill(f, at, depth+1)
		}
	}
}
