package agentwire

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// shown are the texts of requests that a Talk may keep: names of things on the screen, and words of the protocol. A new text is either
// one of them, or Talk.request hides it.
var shown = strings.Fields(`TapElement.Selector TapByLabel.Label TapWithType.Selector TapWithType.Type GetValue.Selector GetValue.Type
	SetTarget.Bundle FindElement.Selector FindElement.Type Hello.Client SetValue.Value Alert.Button Button.Name Rotate.To Greet.Client
	Look.Unlike Look.Candidates Act.App Act.Aim.Type Act.Aim.Identifier Act.Aim.Label`)

func TestTalkShowsOnlyListedTextFields(t *testing.T) {
	const canary = "9" // one character: a key, too, is hidden then
	talk := &Talk{hide: func(s string) string { return s }}
	for _, fresh := range requests {
		if fresh == nil {
			continue
		}
		r := fresh()
		name := typeName(r)
		fill(reflect.ValueOf(r).Elem(), canary)
		raw, err := talk.request(r)
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := UnmarshalRequest(raw)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, field := range holding(reflect.ValueOf(again).Elem(), name, canary) {
			if !slices.Contains(shown, field) {
				t.Errorf("%s is kept in the talk: hide it in Talk.request if it is typed", field)
			}
		}
	}
}

// fill puts a text into every field that can have one.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	}
}

// holding names the fields that have the text.
func holding(v reflect.Value, name, text string) (fields []string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() == text {
			fields = append(fields, name)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fields = holding(v.Elem(), name, text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			below := name + "." + v.Type().Field(i).Name
			if v.Type().Field(i).Anonymous {
				below = name
			}
			fields = append(fields, holding(v.Field(i), below, text)...)
		}
	}
	return fields
}
