package world

import (
	"encoding/json"
	"strconv"
	"strings"

	"ios-agent/internal/virtualxcode/app"
)

// fill takes fields out of an answer in JSON. What is not there, or does not fit its variable, leaves it empty.
func fill(vars app.Vars, fields []app.Field, body string) {
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

// at is what a path leads to, nil if it leads nowhere.
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

// fitting is v as a value of like's type, or the empty one.
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
	text, _ := json.Marshal(v) // what came out of JSON goes back
	return string(text)
}
