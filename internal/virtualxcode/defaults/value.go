package defaults

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"howett.net/plist"
)

// maxFile bounds a property list.
const maxFile = 16 << 20

// load reads a property list; what is not there is empty, and an error that says so.
func load(file string) (map[string]any, error) {
	all := map[string]any{}
	f, err := os.Open(file)
	if err != nil {
		return all, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return all, err
	}
	_, err = plist.Unmarshal(data, &all)
	return all, err
}

func save(file string, all map[string]any) error {
	data, err := plist.Marshal(all, plist.BinaryFormat)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// parse reads the value of a write: a string, or what the option before it says.
func parse(args []string, before any) (any, error) {
	kind, rest := args[0], args[1:]
	switch kind {
	case "-array":
		return list(rest), nil
	case "-array-add":
		old, _ := before.([]any)
		return append(old, list(rest)...), nil
	case "-dict", "-dict-add":
		return dict(kind, rest, before)
	}
	scalars := map[string]func(string) (any, error){
		"-string": func(s string) (any, error) { return s, nil },
		"-int":    func(s string) (any, error) { n, err := strconv.ParseInt(s, 10, 64); return n, err },
		"-float":  func(s string) (any, error) { f, err := strconv.ParseFloat(s, 64); return f, err },
		"-bool":   boolean, "-boolean": boolean, "-integer": func(s string) (any, error) { n, err := strconv.ParseInt(s, 10, 64); return n, err },
	}
	read := scalars[kind]
	switch {
	case read == nil && len(args) == 1:
		return args[0], nil
	case read == nil || len(rest) != 1:
		return nil, errUsage
	}
	v, err := read(rest[0])
	if err != nil {
		return nil, refuse("Value %s is not of the type %s", rest[0], strings.TrimPrefix(kind, "-"))
	}
	return v, nil
}

func boolean(s string) (any, error) {
	switch strings.ToLower(s) {
	case "yes", "true", "1":
		return true, nil
	case "no", "false", "0":
		return false, nil
	}
	return nil, strconv.ErrSyntax
}

func list(items []string) []any {
	out := []any{}
	for _, i := range items {
		out = append(out, i)
	}
	return out
}

func dict(kind string, pairs []string, before any) (any, error) {
	out := map[string]any{}
	if old, ok := before.(map[string]any); ok && kind == "-dict-add" {
		out = old
	}
	if len(pairs)%2 != 0 {
		return nil, errUsage
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out, nil
}

// print writes a value: alone what is one, as an old property list what is several.
func (t Tool) print(v any) error {
	switch v := v.(type) {
	case bool:
		n := 0
		if v {
			n = 1
		}
		fmt.Fprintln(t.Stdout, n)
		return nil
	case map[string]any, []any:
		data, err := plist.MarshalIndent(v, plist.OpenStepFormat, "    ")
		if err != nil {
			return err
		}
		fmt.Fprintf(t.Stdout, "%s\n", strings.TrimSpace(string(data)))
		return nil
	}
	fmt.Fprintln(t.Stdout, v)
	return nil
}

func typeOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case int64, uint64:
		return "integer"
	case float64, float32:
		return "float"
	case []any:
		return "array"
	case map[string]any:
		return "dictionary"
	case []byte:
		return "data"
	}
	return "string"
}
