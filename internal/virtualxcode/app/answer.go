package app

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Answered stores an answer in the variables that r names, and returns the app's next steps. A failed request has an error instead of a
// status.
func (r *Request) Answered(vars Vars, status int, body, err string) []Step {
	vars.Assign(r.Busy, false)
	vars.Assign(r.Status, float64(status))
	vars.Assign(r.Text, body)
	vars.Assign(r.Error, err)
	fill(vars, r.Fields, body)
	if status < 200 || status > 299 {
		return r.Else
	}
	return r.Do
}

// Assign sets a variable. With an empty name it has no effect.
func (v Vars) Assign(name string, value any) {
	if name != "" {
		v[name] = value
	}
}

// fill sets variables from the fields of an answer in JSON. A missing field, or a field of the wrong type, empties its variable.
func fill(vars Vars, fields []Field, body string) {
	if len(fields) == 0 {
		return
	}
	var whole any
	if err := json.Unmarshal([]byte(body), &whole); err != nil {
		whole = nil
	}
	for _, f := range fields {
		vars[f.Var] = fitting(at(whole, strings.Split(f.Path, ".")), vars[f.Var])
	}
}

// at is the value at a path, or nil.
func at(v any, path []string) any {
	for _, step := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// fitting is v as a value of like's type, or that type's zero value.
func fitting(v, like any) any {
	switch like.(type) {
	case float64:
		n, _ := v.(float64)
		return n
	case bool:
		b, _ := v.(bool)
		return b
	}
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return ""
	}
	text, _ := json.Marshal(v) // its value came from JSON
	return string(text)
}
