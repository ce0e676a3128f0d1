// Package plists plays defaults, the Mac's tool for the preferences of apps and for property lists. A Tool is one call; Defaults runs
// it. It works on files only.
package plists

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"howett.net/plist"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/virtualxcode/tool"
)

// Tool is one call of defaults.
type Tool struct {
	tool.Call
	Preferences string // the folder with the files of the domains
}

// exitFailed is the exit status of a failure.
const exitFailed = 1

// maxFile is the maximum size of a file.
const maxFile = 64 << 20

// dict and list are the groups of property lists. Scalars are string, bool, uint64, int64, float64, []byte and time.Time.
type (
	dict = map[string]any
	list = []any
)

// parse reads a property list in any of its forms.
func parse(data []byte) (v any, err error) {
	if _, err = plist.Unmarshal(data, &v); err == nil && v == nil {
		err = errors.New("it is empty")
	}
	return v, err
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

// value parses a scalar of a type from a command line.
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
	}
	return nil, fmt.Errorf("%q is not a %s", text, kind)
}

// readFile reads a file up to maxFile.
func readFile(path string) ([]byte, error) { return regularfile.Read(path, maxFile) }

// writeFile replaces a file atomically.
func writeFile(path string, v any) error {
	data, err := plist.Marshal(v, plist.BinaryFormat)
	if err != nil {
		return err
	}
	return wholefile.Write(path, data)
}
