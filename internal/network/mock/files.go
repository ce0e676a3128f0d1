package mock

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"ios-agent/internal/machine/docfile"
)

// mostInYAML is how large a body may be that stands in the YAML itself.
const mostInYAML = 2 << 10

// Files writes rules as the files of a folder: name.yaml, more of them if one cannot hold all, and a file for each body that is large or
// no text. Load of that folder has the same rules in the same order, with the same answers.
func Files(name string, rules []Rule) (map[string][]byte, error) {
	files, moved := map[string][]byte{}, []Rule(nil)
	for _, r := range rules {
		r = Normal(r)
		if body, ok := movable(r); ok {
			file := fmt.Sprintf("%s-%s%s", name, strings.TrimPrefix(r.ID, idPrefix), extension(r, body))
			files[file] = body
			r.Response.Body, r.Response.Bytes, r.Response.BodyFile, r.Response.Folder = "", nil, file, "." // only its name is written
		}
		moved = append(moved, r)
	}
	for part := 1; part == 1 || len(moved) > 0; part++ {
		n := fitting(moved)
		text, err := YAML(moved[:n])
		if err != nil {
			return nil, err
		}
		file := name + ".yaml"
		if part > 1 || n < len(moved) {
			file = fmt.Sprintf("%s-%03d.yaml", name, part) // the order of names is the order of rules
		}
		files[file], moved = text, moved[n:]
	}
	return files, nil
}

// fitting is how many of the first rules one file holds, at least one.
func fitting(rules []Rule) int {
	size := len(root) + 2
	for i, r := range rules {
		if size += len(written(r)); size > docfile.MostYAML && i > 0 {
			return i
		}
	}
	return len(rules)
}

// movable is a body that stands better in a file: a body file is sent as it is, so a template with values stays.
func movable(r Rule) ([]byte, bool) {
	if len(r.Response.Bytes) > 0 {
		return r.Response.Bytes, true
	}
	t, err := parseTemplate(r.Response.Body)
	if err != nil || t.values() > 0 || len(r.Response.Body) <= mostInYAML {
		return nil, false
	}
	return t.text(&moment{}, false), true
}

// extension is what the name of a body's file ends with. Only a rule that says its content type may have any.
func extension(r Rule, body []byte) string {
	kind := strings.ToLower(r.Response.Header.Get("content-type"))
	if kind == "" {
		return ".bin"
	}
	kind, _, _ = strings.Cut(kind, ";")
	best := ""
	for ext, of := range kinds {
		if of, _, _ = strings.Cut(of, ";"); of == strings.TrimSpace(kind) && (best == "" || ext < best) {
			best = ext
		}
	}
	if best == "" && utf8.Valid(body) {
		best = ".txt"
	}
	return cmp.Or(best, ".bin")
}
