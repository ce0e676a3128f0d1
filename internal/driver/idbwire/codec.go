// Package idbwire is what is said between a client and idb_companion: the messages that we use, in the encoding of Protocol Buffers, the
// frames of gRPC around them, and how a call ends. It is the one place of it, for the driver and for the virtual companion; who is not of
// ours proves it (the tests of internal/driver/idb): the library of gRPC, over the messages that idb.proto is compiled to.
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

// Encode writes a message: a pointer to a struct whose fields are tagged with their numbers. Other messages are a mistake of ours.
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

// appendField writes a field that holds something. One that is there counts even if it is zero.
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
	panic("idbwire: no field is of the kind " + v.Kind().String())
}

// pair is an entry of a map.
type pair struct {
	Key   string `pb:"1"`
	Value string `pb:"2"`
}

var errWire = errors.New("a field has not the type that its number has")

// Decode reads a message into a pointer to a struct. Fields that it does not have are passed over.
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

// wireTypes are how values of a kind are written.
var wireTypes = map[reflect.Kind]protowire.Type{
	reflect.Bool: protowire.VarintType, reflect.Int32: protowire.VarintType, reflect.Uint64: protowire.VarintType,
	reflect.Float64: protowire.Fixed64Type, reflect.String: protowire.BytesType, reflect.Struct: protowire.BytesType,
	reflect.Map: protowire.BytesType, reflect.Slice: protowire.BytesType,
}

// set reads a value, which is whole, into a field.
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

// setBytes reads what has a length: a text, bytes, a message, an entry of a map or of a list.
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
			f.SetBytes([]byte{}) // it is there
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
