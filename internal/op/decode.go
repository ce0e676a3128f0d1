package op

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/hint"
)

// parseValues converts the values of an input to Go values. It accepts several spellings: models send numbers as strings, camelCase for
// snake_case and null for "leave it out"; all of these are unambiguous.
func parseValues(s Spec, fields []Field, raws map[string]json.RawMessage) (map[string]any, error) {
	values := map[string]any{}
	var err error
	for _, f := range fields {
		raw, given := raws[f.Name]
		switch {
		case !given && f.Default != "":
			raw, _ = json.Marshal(f.Default)
		case !given && f.Required:
			return nil, invalid(s, f, misfit(Missing, f.Name, nil, "%s is required", f.Name))
		case !given:
			continue
		}
		if values[f.Name], err = f.parse(raw); err != nil {
			return nil, invalid(s, f, err)
		}
	}
	return values, checkGroups(s, fields, raws)
}

func invalid(s Spec, f Field, err error) error {
	wrong := fault.New(fault.InvalidInput, "%s: %w", s.Name, err).With("field", f.Name).WithHint("%s", f.takes())
	m, is := errors.AsType[*MisfitError](err)
	if !is || m.Kind != NoMatch && m.Kind != NoChoice {
		return wrong
	}
	if near := nearest.To(scalar(m.Given), f.Enum, 3); len(near) > 0 {
		return wrong.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	if f.Else == "" {
		return wrong
	}
	value := scalar(m.Given)
	if len(value) > 60 {
		value = strings.ToUpper(f.Else)
	}
	return wrong.WithHint("if it is a %s: %s", f.Else, hint.Do(s.id(), f.Else, value))
}

// rawValues finds the field of every key; null counts as omitted. It refuses an unknown key, because ignoring the key would do something
// other than the caller asked for.
func rawValues(s Spec, fields []Field, input []byte) (map[string]json.RawMessage, error) {
	given, err := object(s.Name, input)
	if err != nil {
		return nil, err
	}
	values := map[string]json.RawMessage{}
	for key, raw := range given {
		f, ok := fieldNamed(fields, key)
		if !ok {
			return nil, unknownKey(s.Name, fields, key, raw)
		}
		if _, twice := values[f.Name]; twice {
			return nil, fault.New(fault.InvalidInput, "%s: %s is given twice, in two spellings", s.Name, f.Name)
		}
		if !bytes.Equal(raw, []byte("null")) {
			values[f.Name] = raw
		}
	}
	return values, nil
}

// checkGroups checks an input against the spec's groups. An empty string counts as not given, because models fill in blanks. It only
// fulfils a requirement if the field is a pointer: then an empty value resets a setting.
func checkGroups(s Spec, fields []Field, values map[string]json.RawMessage) error {
	given := func(group []string) (names []string) {
		for _, name := range group {
			if raw, ok := values[name]; ok && scalar(raw) != "" {
				names = append(names, name)
			}
		}
		return names
	}
	clears := func(name string) bool {
		f, _ := fieldNamed(fields, name)
		_, ok := values[name]
		return ok && f.pointer
	}
	for _, group := range s.Exclude {
		if names := given(group); len(names) > 1 {
			return fault.New(fault.InvalidInput, "%s: %s exclude each other", s.Name, strings.Join(names, " and ")).With("field", names[0]).
				WithHint("give one of %s", strings.Join(group, ", "))
		}
	}
	for _, group := range s.Require {
		if len(given(group)) == 0 && !slices.ContainsFunc(group, clears) {
			return fault.New(fault.InvalidInput, "%s: give %s", s.Name, strings.Join(group, ", or ")).With("field", group[0])
		}
	}
	return nil
}

// AbsolutePaths makes the paths in an input absolute against the client's folder. It leaves everything else unchanged, also input that it
// cannot read: the daemon then reports the mistake.
func (o Op) AbsolutePaths(input []byte, dir string) []byte {
	given, err := object(o.Name, input)
	if err != nil || dir == "" {
		return input
	}
	for key, raw := range given {
		var path string
		f, ok := fieldNamed(o.Fields(), key)
		if !ok || f.Kind != File || json.Unmarshal(raw, &path) != nil {
			continue
		}
		if strings.TrimSpace(path) == "" || f.Dash && path == string(Dash) {
			continue
		}
		given[key], _ = json.Marshal(absolute(path, dir))
	}
	out, err := json.Marshal(given)
	if err != nil || given == nil {
		return input
	}
	return out
}

// absolute resolves a path that a person wrote in dir: relative, below ~, or a file: URL.
func absolute(path, dir string) string {
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = u.Path
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if user, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(user, rest)
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func object(op string, input []byte) (map[string]json.RawMessage, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		return nil, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(input, &given); err != nil {
		wrong := misfit(NoObject, "", clipped(input), "%s: the input is not a JSON object: %w", op, fault.OfJSON(err))
		return nil, fault.New(fault.InvalidInput, "%w", wrong)
	}
	return given, nil
}

func fieldNamed(fields []Field, key string) (Field, bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == key })
	if i < 0 {
		i = slices.IndexFunc(fields, func(f Field) bool { return snake(f.Name) == snake(key) })
	}
	if i < 0 {
		return Field{}, false
	}
	return fields[i], true
}

// snake turns bundleId and bundle-id into bundle_id, and useLatestOS into use_latest_os.
func snake(key string) string {
	var b strings.Builder
	runes := []rune(key)
	for i, r := range runes {
		switch {
		case r == '-':
			b.WriteByte('_')
			continue
		case unicode.IsUpper(r) && i > 0 && startsWord(runes, i):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord reports whether the capital at i begins a word: after a small letter or a digit, or as the last of several capitals.
func startsWord(runes []rune, i int) bool {
	before := runes[i-1]
	return unicode.IsLower(before) || unicode.IsDigit(before) ||
		unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

func unknownKey(op string, fields []Field, key string, raw json.RawMessage) error {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	f := fault.New(fault.InvalidInput, "%w", misfit(Unknown, key, raw, "%s has no input %q", op, key)).With("field", key)
	if near := nearest.To(snake(key), names, 1); len(near) > 0 {
		return f.WithHint("did you mean %q?", near[0])
	}
	return f.WithHint("%s", inputsOf(fields))
}

func (f Field) store(value any, target reflect.Value) {
	if f.pointer {
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	target.Set(reflect.ValueOf(value).Convert(target.Type()))
}

// parse converts raw JSON to a Go value of the field's kind and checks the field's limits.
func (f Field) parse(raw json.RawMessage) (any, error) {
	switch f.Kind {
	case Strings:
		return f.parseStrings(raw)
	case Nested:
		var parts map[string]json.RawMessage
		if text := scalar(raw); json.Unmarshal([]byte(text), &parts) == nil && parts != nil {
			return text, f.checkParts(text, raw)
		}
		return nil, f.wrong(NoObject, raw, "an object")
	case Any:
		return slices.Clone(raw), nil
	case Bool:
		b, err := strconv.ParseBool(scalar(raw))
		if err != nil {
			return nil, f.wrong(NoBool, raw, "true or false")
		}
		return b, nil
	case Int:
		n, err := strconv.ParseInt(f.number(raw), 10, 64)
		if err != nil {
			return nil, f.wrong(NoInt, raw, "a whole number"+f.units())
		}
		return n, f.inBounds(float64(n))
	case Float:
		n, err := strconv.ParseFloat(f.number(raw), 64)
		if err != nil || n != n || n > 1e300 || n < -1e300 {
			return nil, f.wrong(NoFloat, raw, "a number"+f.units())
		}
		return n, f.inBounds(n)
	}
	return f.parseString(raw)
}

// checkParts refuses an object with parts that its field does not declare.
func (f Field) checkParts(text string, raw json.RawMessage) error {
	if f.parts == nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(reflect.New(f.parts).Interface()); err != nil {
		return misfit(WrongValue, f.Name, raw, "%s: %w", f.Name, fault.OfJSON(err))
	}
	return nil
}

// number returns the text of a number. It converts a time with its own unit to the unit of the field.
func (f Field) number(raw json.RawMessage) string {
	text := scalar(raw)
	if f.Unit == 0 || !HasUnit(text) {
		return text
	}
	d, _ := time.ParseDuration(text)
	return strconv.FormatFloat(float64(d)/float64(f.Unit), 'f', -1, 64)
}

// units says which unit the field's number has, and how to give it in another unit.
func (f Field) units() string {
	if f.Unit == 0 {
		return ""
	}
	return " of " + f.UnitWord() + ", or a time with its unit such as 3s or 500ms"
}

// UnitWord returns the unit of a bare number of the field; empty for a field without a unit.
func (f Field) UnitWord() string {
	return map[time.Duration]string{time.Second: "seconds", time.Millisecond: "milliseconds"}[f.Unit]
}

func (f Field) parseString(raw json.RawMessage) (any, error) {
	if raw[0] == '{' || raw[0] == '[' {
		return nil, f.wrong(NoString, raw, "a string")
	}
	s := scalar(raw)
	if f.Kind == File && strings.TrimSpace(s) == "" {
		s = "" // models send blanks for omitted values
	}
	if f.Instant {
		if _, err := Instant(s).Time(); err != nil {
			return nil, misfit(NoInstant, f.Name, raw, "%s must be a moment such as 2026-01-31T15:04:05Z, not %s", f.Name, clip(raw))
		}
	}
	if f.Ago {
		if _, err := TimeOf(f.Name, s, time.Now); err != nil {
			return nil, misfit(NoInstant, f.Name, raw, "%w", err)
		}
	}
	switch {
	case len(f.Enum) > 0 && !slices.Contains(f.Enum, s):
		return nil, misfit(NoChoice, f.Name, raw, "%s must be one of %s, not %s", f.Name, strings.Join(f.Enum, ", "), clip(raw))
	case f.Match != nil && !f.Match.MatchString(s):
		return nil, misfit(NoMatch, f.Name, raw, "%s %s does not fit %s", f.Name, clip(raw), f.Match)
	case f.Required && s == "" && !f.Empty:
		return nil, misfit(WrongValue, f.Name, raw, "%s is empty", f.Name)
	case f.Kind == File && s != "" && !filepath.IsAbs(s) && !(f.Dash && s == string(Dash)):
		return nil, misfit(WrongValue, f.Name, raw, "%s must be an absolute path, not %s", f.Name, clip(raw))
	case f.Kind == File && special(s):
		return nil, fmt.Errorf("%s must be a file or a folder, not a pipe, a device or a socket as %s is", f.Name, clip(raw))
	}
	return s, nil
}

// special reports whether a path leads to something other than a file or a folder, such as a pipe. Opening it may block for ever, in the
// daemon or in a tool that gets the path.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// parseStrings accepts a list, or one value for a list of one.
func (f Field) parseStrings(raw json.RawMessage) (any, error) {
	if list, ok := pairList(raw); f.Pairs && ok {
		return list, f.allPairs(list)
	}
	items := []json.RawMessage{raw}
	if raw[0] == '[' {
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, f.wrong(NoList, raw, "a list")
		}
	}
	list := make([]string, len(items))
	for i, item := range items {
		var err error
		if list[i], err = f.item(item); err != nil {
			return nil, err
		}
	}
	return list, f.allPairs(list)
}

func (f Field) allPairs(list []string) error {
	for _, one := range list {
		if at := strings.Index(one, "="); f.Pairs && at <= 0 {
			given, _ := json.Marshal(one)
			return misfit(NoMatch, f.Name, given, "%s %s is not NAME=VALUE", f.Name, clip(given))
		}
	}
	return nil
}

func (f Field) item(raw json.RawMessage) (string, error) {
	text := scalar(raw)
	switch f.Items {
	case string(Int):
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", f.wrong(NoList, raw, "a list of whole numbers")
		}
		return text, f.inBounds(float64(n))
	case objects:
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &o) != nil {
			return "", f.wrong(NoList, raw, "a list of objects")
		}
		return text, nil
	}
	if raw[0] != '"' {
		return "", f.wrong(NoList, raw, "a list of strings")
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, text) {
		return "", misfit(NoChoice, f.Name, raw, "%s are of %s, not %s", f.Name, strings.Join(f.Enum, ", "), clip(raw))
	}
	return text, nil
}

const objects = "object"

// pairList reads the other spellings of NAME=VALUE pairs that clients have: an object, or a list of keys and values.
func pairList(raw json.RawMessage) ([]string, bool) {
	list := []string{}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && object != nil {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			list = append(list, name+"="+scalar(object[name]))
		}
		return list, true
	}
	var entries []struct {
		Key   string
		Value json.RawMessage
	}
	if json.Unmarshal(raw, &entries) != nil || len(entries) == 0 {
		return nil, false
	}
	for _, e := range entries {
		if e.Key == "" || len(e.Value) == 0 {
			return nil, false
		}
		list = append(list, e.Key+"="+scalar(e.Value))
	}
	return list, true
}

func (f Field) inBounds(n float64) error {
	kind := ""
	switch {
	case f.Min != nil && n < *f.Min:
		kind = TooSmall
	case f.Max != nil && n > *f.Max:
		kind = TooGreat
	default:
		return nil
	}
	given, _ := json.Marshal(n)
	return misfit(kind, f.Name, given, "%s must be %s, not %v", f.Name, strings.TrimSpace(f.bounds()+" "+f.UnitWord()), n)
}

func (f Field) bounds() string {
	switch {
	case f.Max == nil:
		return fmt.Sprintf("at least %v", *f.Min)
	case f.Min == nil:
		return fmt.Sprintf("at most %v", *f.Max)
	}
	return fmt.Sprintf("between %v and %v", *f.Min, *f.Max)
}

func (f Field) wrong(kind string, raw json.RawMessage, want string) error {
	return misfit(kind, f.Name, raw, "%s must be %s, not %s", f.Name, want, clip(raw))
}

// scalar returns a JSON string's content, or the text of any other value, so that "5" and 5 read alike.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// clipped returns a value for a message; a value that is not valid JSON becomes a JSON string.
func clipped(input []byte) json.RawMessage {
	quoted, _ := json.Marshal(clip(input))
	return quoted
}

// clip shortens a value so that a message can quote it.
func clip(raw json.RawMessage) string {
	const most = 60
	if r := []rune(string(raw)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(raw)
}
