package fault

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// JSONError says what is wrong with JSON that a caller sent. Unlike the errors of encoding/json, it does not show the names of our Go
// types.
type JSONError struct{ err error }

// OfJSON words an error of encoding/json. Nil stays nil.
func OfJSON(err error) error {
	if err == nil {
		return nil
	}
	return &JSONError{err}
}

// Unwrap gives the error of encoding/json.
func (e *JSONError) Unwrap() error { return e.err }

func (e *JSONError) Error() string {
	var kind *json.UnmarshalTypeError
	if !errors.As(e.err, &kind) {
		return strings.TrimPrefix(e.err.Error(), "json: ")
	}
	name, given := "it", kind.Value
	if kind.Field != "" {
		name = kind.Field
	}
	if number, is := strings.CutPrefix(given, "number "); is {
		given = number
	}
	return name + " must be " + jsonKind(kind.Type) + ", not " + withArticle(given)
}

// jsonKind is JSON's word for the values of a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Interface:
		return "a value"
	}
	return "a whole number"
}

func withArticle(given string) string {
	switch given {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "string", "number":
		return "a " + given
	case "bool":
		return "true or false"
	}
	return given
}
