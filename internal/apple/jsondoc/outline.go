package jsondoc

import (
	"bytes"
	"encoding/json"
)

// Outline is the first two levels of a document: enough to recognize it.
type Outline struct {
	Kind byte              // '{', '[' or 0: not JSON
	Keys map[string]string // of the top object, or of the first object of the array, with the kind of each value
	Sub  map[string]string // the same for the objects in those values, as "key/subkey"
	Next bool              // another document follows the first
}

// Has reports whether all the keys are there.
func (o Outline) Has(keys ...string) bool {
	for _, k := range keys {
		if _, ok := o.Keys[k]; !ok {
			return false
		}
	}
	return true
}

// HasAny reports whether one of the keys is there.
func (o Outline) HasAny(keys ...string) bool {
	for _, k := range keys {
		if _, ok := o.Keys[k]; ok {
			return true
		}
	}
	return false
}

// Look reads the outline. For a cut document it has the keys before the cut.
func Look(b []byte) Outline {
	body := Body(b)
	o := Outline{Keys: map[string]string{}, Sub: map[string]string{}}
	if body == nil || depth(body) > MaxDepth {
		return o
	}
	o.Kind = body[0]
	dec := json.NewDecoder(bytes.NewReader(body))
	if _, err := dec.Token(); err != nil {
		return Outline{}
	}
	if o.Kind == '[' {
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			return o
		}
	}
	whole := members(dec, func(key string, v json.RawMessage) {
		o.Keys[key] = sort(v)
		if len(v) > 0 && v[0] == '{' {
			sub := json.NewDecoder(bytes.NewReader(v))
			_, _ = sub.Token()
			members(sub, func(k string, v json.RawMessage) { o.Sub[key+"/"+k] = sort(v) })
		}
	})
	if whole && o.Kind == '{' {
		rest := bytes.TrimSpace(body[dec.InputOffset():])
		o.Next = len(rest) > 0 && rest[0] == '{'
	}
	return o
}

// members reads the members of an object after its brace. It reports whether the object ended well.
func members(dec *json.Decoder, f func(string, json.RawMessage)) bool {
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return false
		}
		key, ok := t.(string)
		var v json.RawMessage
		if !ok || dec.Decode(&v) != nil {
			return false
		}
		f(key, v)
	}
	_, err := dec.Token()
	return err == nil
}

func sort(v json.RawMessage) string {
	if len(v) == 0 {
		return ""
	}
	switch v[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}
