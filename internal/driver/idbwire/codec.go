// Package idbwire encodes the messages between a client and idb_companion. It has the Protocol Buffers messages that the driver uses, the
// gRPC frames around them, and the status at the end of a call. The driver and the virtual companion both use Encode, Decode and Frame. It
// must not connect or know a device. The tests of package idb check it against the gRPC library and idb.proto.
package idbwire

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Encode writes a message: a pointer to a struct whose fields have their numbers as tags. It panics on any other type.
func Encode(message any) []byte { return appendMessage(nil, reflect.ValueOf(message).Elem()) }

func appendMessage(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		b = appendField(b, numberOf(v.Type().Field(i)), v.Field(i), false)
	}
	return b
}

func numberOf(f reflect.StructField) protowire.Number {
	n, err := strconv.Atoi(f.Tag.Get("pb"))
	if err != nil {
		panic("idbwire: the field " + f.Name + " has no number")
	}
	return protowire.Number(n)
}

// appendField writes a field that has a value. A present pointer counts even if its value is zero.
func appendField(b []byte, n protowire.Number, v reflect.Value, there bool) []byte {
	if v.IsZero() && !there {
		return b
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			b = protowire.AppendTag(b, n, protowire.BytesType)
			return protowire.AppendBytes(b, appendMessage(nil, v.Elem()))
		}
		return appendField(b, n, v.Elem(), true)
	case reflect.String:
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), v.String())
	case reflect.Bool:
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), protowire.EncodeBool(v.Bool()))
	case reflect.Int32:
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v.Int()))
	case reflect.Uint64:
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v.Uint())
	case reflect.Float64:
		return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), math.Float64bits(v.Float()))
	case reflect.Map:
		all := v.Interface().(map[string]string)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			b = appendField(b, n, reflect.ValueOf(&pair{key, all[key]}), true)
		}
		return b
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v.Bytes())
		}
		for i := range v.Len() {
			b = appendField(b, n, v.Index(i), true)
		}
		return b
	}
	panic("idbwire: unsupported kind of field: " + v.Kind().String())
}

// pair is an entry of a map.
type pair struct {
	Key   string `pb:"1"`
	Value string `pb:"2"`
}

var errWire = errors.New("the type of a field does not match its number")

// Decode reads a message into a pointer to a struct. It skips unknown fields.
func Decode(b []byte, message any) error { return decode(b, reflect.ValueOf(message).Elem()) }

func decode(b []byte, v reflect.Value) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		b = b[size:]
		size = protowire.ConsumeFieldValue(n, kind, b)
		if size < 0 {
			return protowire.ParseError(size)
		}
		if f, known := fieldOf(v, n); known {
			if err := set(f, kind, b[:size]); err != nil {
				return fmt.Errorf("field %d of %s: %w", n, v.Type().Name(), err)
			}
		}
		b = b[size:]
	}
	return nil
}

func fieldOf(v reflect.Value, n protowire.Number) (reflect.Value, bool) {
	for i := range v.NumField() {
		if numberOf(v.Type().Field(i)) == n {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// wireTypes are the wire types of Go kinds.
var wireTypes = map[reflect.Kind]protowire.Type{
	reflect.Bool: protowire.VarintType, reflect.Int32: protowire.VarintType, reflect.Uint64: protowire.VarintType,
	reflect.Float64: protowire.Fixed64Type, reflect.String: protowire.BytesType, reflect.Struct: protowire.BytesType,
	reflect.Map: protowire.BytesType, reflect.Slice: protowire.BytesType,
}

// set reads a complete value into a field.
func set(f reflect.Value, kind protowire.Type, b []byte) error {
	if f.Kind() == reflect.Pointer {
		if f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
		}
		return set(f.Elem(), kind, b)
	}
	if wireTypes[f.Kind()] != kind {
		return errWire
	}
	switch kind {
	case protowire.VarintType:
		x, _ := protowire.ConsumeVarint(b)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(protowire.DecodeBool(x))
		case reflect.Int32:
			f.SetInt(int64(int32(x)))
		default:
			f.SetUint(x)
		}
	case protowire.Fixed64Type:
		x, _ := protowire.ConsumeFixed64(b)
		f.SetFloat(math.Float64frombits(x))
	default:
		content, _ := protowire.ConsumeBytes(b)
		return setBytes(f, content)
	}
	return nil
}

// setBytes reads a value with a length: text, bytes, a message, an entry of a map or of a list.
func setBytes(f reflect.Value, b []byte) error {
	switch {
	case f.Kind() == reflect.String:
		f.SetString(strings.ToValidUTF8(string(b), "\uFFFD"))
	case f.Kind() == reflect.Struct:
		return decode(b, f)
	case f.Kind() == reflect.Map:
		var p pair
		if err := Decode(b, &p); err != nil {
			return err
		}
		if f.IsNil() {
			f.Set(reflect.MakeMap(f.Type()))
		}
		f.SetMapIndex(reflect.ValueOf(p.Key), reflect.ValueOf(p.Value))
	case f.Type().Elem().Kind() == reflect.Uint8:
		f.SetBytes(slices.Clone(b))
		if len(b) == 0 {
			f.SetBytes([]byte{}) // an empty value is present
		}
	default:
		item := reflect.New(f.Type().Elem()).Elem()
		if item.Kind() == reflect.Pointer {
			item.Set(reflect.New(item.Type().Elem()))
			if err := decode(b, item.Elem()); err != nil {
				return err
			}
		} else if err := setBytes(item, b); err != nil {
			return err
		}
		f.Set(reflect.Append(f, item))
	}
	return nil
}
