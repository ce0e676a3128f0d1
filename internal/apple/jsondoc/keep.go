package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
)

var (
	extraType   = reflect.TypeFor[Extra]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// keeps reports whether a type contains structs that keep unknown fields in a field Extra. Within lists the types around it, so that a
// recursive type is examined once.
func keeps(t reflect.Type, within ...reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keeps(t.Elem(), within...)
	case reflect.Struct:
		if f, has := t.FieldByName("Extra"); has && f.Type == extraType {
			return true
		}
		for f := range t.Fields() {
			if f.IsExported() && !slices.Contains(within, t) && keeps(f.Type, append(within, t)...) {
				return true
			}
		}
	}
	return false
}

// fill is json.Unmarshal for structs that keep unknown fields. A type with its own UnmarshalJSON uses it.
func fill(raw json.RawMessage, v reflect.Value) error {
	t := v.Type()
	if reflect.PointerTo(t).Implements(unmarshaler) || !keeps(t) || t.Kind() != reflect.Struct && string(raw) == "null" {
		return json.Unmarshal(raw, v.Addr().Interface())
	}
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		return fill(raw, v.Elem())
	case reflect.Slice:
		var items []json.RawMessage
		err := json.Unmarshal(raw, &items)
		v.Set(reflect.MakeSlice(t, len(items), len(items)))
		for i := 0; i < len(items) && err == nil; i++ {
			err = fill(items[i], v.Index(i))
		}
		return err
	case reflect.Map:
		var items map[string]json.RawMessage
		err := json.Unmarshal(raw, &items)
		v.Set(reflect.MakeMap(t))
		for key, item := range items {
			fresh := reflect.New(t.Elem()).Elem()
			if err == nil {
				err = fill(item, fresh)
			}
			v.SetMapIndex(reflect.ValueOf(key), fresh)
		}
		return err
	}
	var rest Extra
	err := into(raw, v, &rest)
	if own := v.FieldByName("Extra"); err == nil && own.IsValid() {
		own.Set(reflect.ValueOf(rest))
	}
	return err
}

// Encode is json.Marshal that also writes the kept fields, after the named ones, which need omitempty or omitzero.
func Encode(v any) ([]byte, error) { return encode(reflect.ValueOf(v)) }

func encode(v reflect.Value) (_ []byte, err error) {
	t := v.Type()
	if !keeps(t) || t.Kind() != reflect.Struct && v.IsNil() {
		return json.Marshal(v.Interface())
	}
	switch t.Kind() {
	case reflect.Pointer:
		return encode(v.Elem())
	case reflect.Slice:
		items := make([]json.RawMessage, v.Len())
		for i := range items {
			if items[i], err = encode(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return json.Marshal(items)
	case reflect.Map:
		items := map[string]json.RawMessage{}
		for key, item := range v.Seq2() {
			if items[key.String()], err = encode(item); err != nil {
				return nil, err
			}
		}
		return json.Marshal(items)
	}
	return object(v)
}

// object writes a struct: its fields in their order, then its kept fields.
func object(v reflect.Value) ([]byte, error) {
	var members [][]byte
	add := func(key string, value []byte, err error) error {
		name, wrong := json.Marshal(key)
		members = append(members, slices.Concat(name, []byte(":"), value))
		return errors.Join(err, wrong)
	}
	for i := range v.NumField() {
		f, name := v.Field(i), tag(v.Type().Field(i))
		if name == "" || strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omit") && empty(f) {
			continue
		}
		value, err := encode(f)
		if err := add(name, value, err); err != nil {
			return nil, err
		}
	}
	if own := v.FieldByName("Extra"); own.IsValid() {
		kept, _ := own.Interface().(Extra)
		for _, key := range slices.Sorted(maps.Keys(kept)) {
			if err := add(key, kept[key], nil); err != nil {
				return nil, err
			}
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}
