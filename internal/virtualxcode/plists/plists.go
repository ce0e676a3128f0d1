// Package plists plays the Mac's tools for property lists: plutil, PlistBuddy and defaults. They work on files alone.
package plists

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/virtualxcode/applejson"
	"ios-agent/internal/virtualxcode/tool"
)

// Tool is one call of one of the three tools.
type Tool struct {
	tool.Call
	Preferences string // the folder of what defaults keeps by domain
}

// exitFailed is the exit status of each of them when it fails.
const exitFailed = 1

// maxFile bounds what is read.
const maxFile = 64 << 20

// dict and list are what property lists are made of, besides scalars: string, bool, uint64, int64, float64, []byte and
// time.Time.
type (
	dict = map[string]any
	list = []any
)

// format is how a file is written.
type format string

const (
	xml    format = "xml1"
	binary format = "binary1"
	jsonF  format = "json"
)

// parse reads a property list in any of its forms, or JSON.
func parse(data []byte) (v any, f format, err error) {
	text := bytes.TrimSpace(data)
	if !bytes.HasPrefix(data, []byte("bplist")) && !bytes.HasPrefix(text, []byte("<")) && len(text) > 0 &&
		(text[0] == '{' || text[0] == '[') {
		if v, err := parseJSON(text); err == nil {
			return v, jsonF, nil
		}
	}
	kind, err := plist.Unmarshal(data, &v)
	if err != nil {
		return nil, "", err
	}
	if v == nil {
		return nil, "", errors.New("it is empty")
	}
	if kind == plist.BinaryFormat {
		return v, binary, nil
	}
	return v, xml, nil
}

func parseJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("junk after the value")
	}
	return numbers(v), nil
}

// numbers turns JSON's numbers into integers where they are whole.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
		f, _ := v.Float64() // out of range is infinite
		return f
	case dict:
		for key, value := range v {
			v[key] = numbers(value)
		}
	case list:
		for i, value := range v {
			v[i] = numbers(value)
		}
	}
	return v
}

// encode is a property list in a format. pretty is for JSON.
func encode(v any, f format, pretty bool) ([]byte, error) {
	if f != jsonF && hasNull(v) {
		return nil, tool.Refuse("Invalid object in plist for property list format")
	}
	switch f {
	case binary:
		return plist.Marshal(v, plist.BinaryFormat)
	case jsonF:
		clean, err := forJSON(v)
		if err != nil {
			return nil, err
		}
		if pretty {
			return []byte(applejson.Encode(clean)), nil
		}
		return []byte(applejson.Style{}.Line(clean)), nil
	}
	data, err := plist.MarshalIndent(v, plist.XMLFormat, "\t")
	return append(data, '\n'), err
}

// hasNull reports whether there is a null, which only JSON can have.
func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case dict:
		for _, one := range v {
			if hasNull(one) {
				return true
			}
		}
	case list:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// errNoJSON is the error of a value that JSON cannot hold.
var errNoJSON = tool.Refuse("Invalid object in plist for JSON format")

func forJSON(v any) (any, error) {
	switch v := v.(type) {
	case dict:
		out := dict{}
		for key, value := range v {
			clean, err := forJSON(value)
			if err != nil {
				return nil, err
			}
			out[key] = clean
		}
		return out, nil
	case list:
		out := list{}
		for _, value := range v {
			clean, err := forJSON(value)
			if err != nil {
				return nil, err
			}
			out = append(out, clean)
		}
		return out, nil
	case nil, string, bool, int64, uint64:
		return v, nil
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, errNoJSON
		}
		return v, nil
	case float32:
		return forJSON(float64(v))
	}
	return nil, errNoJSON
}

// kindOf is the name of a value's type.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case int64, uint64:
		return "integer"
	case float64, float32:
		return "float"
	case time.Time:
		return "date"
	case []byte:
		return "data"
	case list:
		return "array"
	case dict:
		return "dictionary"
	}
	return "unknown"
}

// value reads a scalar of a type from a command line.
func value(kind, text string) (any, error) {
	switch kind {
	case "string":
		return text, nil
	case "bool":
		switch strings.ToLower(text) {
		case "yes", "true", "1":
			return true, nil
		case "no", "false", "0":
			return false, nil
		}
	case "integer", "int":
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return n, nil
		}
	case "float", "real":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f, nil
		}
	case "date":
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02", time.UnixDate} {
			if at, err := time.Parse(layout, text); err == nil {
				return at.UTC(), nil
			}
		}
	case "data":
		if data, err := base64.StdEncoding.DecodeString(text); err == nil {
			return data, nil
		}
	case "array":
		return list{}, nil
	case "dictionary", "dict":
		return dict{}, nil
	case "xml", "json":
		v, _, err := parse([]byte(text))
		if err == nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%q is no %s", text, kind)
}

// lookup follows keys and places into a value.
func lookup(v any, path []string) (any, bool) {
	for _, step := range path {
		switch in := v.(type) {
		case dict:
			next, has := in[step]
			if !has {
				return nil, false
			}
			v = next
		case list:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// change gets the old value at a path and whether there is one. It returns the new value and whether to keep it.
type change func(old any, has bool) (v any, keep bool, err error)

// edit returns v with the value at a path changed. The index after the last of a list appends to it.
func edit(v any, path []string, do change) (any, error) {
	if len(path) == 0 {
		next, keep, err := do(v, true)
		if !keep {
			next = dict{}
		}
		return next, err
	}
	switch in := v.(type) {
	case dict:
		return editDict(in, path, do)
	case list:
		return editList(in, path, do)
	}
	return nil, errNoPath
}

// errNoPath is the error of a path that does not exist.
var errNoPath = errors.New("no such path")

func editDict(in dict, path []string, do change) (any, error) {
	old, has := in[path[0]]
	if len(path) > 1 {
		if !has {
			return nil, errNoPath
		}
		next, err := edit(old, path[1:], do)
		if err == nil {
			in[path[0]] = next
		}
		return in, err
	}
	next, keep, err := do(old, has)
	switch {
	case err != nil:
	case keep:
		in[path[0]] = next
	default:
		delete(in, path[0])
	}
	return in, err
}

func editList(in list, path []string, do change) (any, error) {
	i, err := strconv.Atoi(path[0])
	if path[0] == "" {
		i, err = len(in), nil // the end
	}
	if err != nil || i < 0 || i > len(in) || i == len(in) && len(path) > 1 {
		return nil, errNoPath
	}
	if len(path) > 1 {
		next, err := edit(in[i], path[1:], do)
		if err == nil {
			in[i] = next
		}
		return in, err
	}
	var old any
	if i < len(in) {
		old = in[i]
	}
	next, keep, err := do(old, i < len(in))
	switch {
	case err != nil:
		return in, err
	case keep && i < len(in):
		in[i] = next
	case keep:
		in = append(in, next)
	default:
		in = slices.Delete(in, i, i+1)
	}
	return in, nil
}

func readFile(path string) ([]byte, error) { return regularfile.Read(path, maxFile) }

// writeFile replaces a file whole.
func writeFile(path string, v any, f format) error {
	data, err := encode(v, f, false)
	if err != nil {
		return err
	}
	return wholefile.Write(path, data)
}

func keys(d dict) []string { return slices.Sorted(maps.Keys(d)) }
