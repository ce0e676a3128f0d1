package simctl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"ios-agent/internal/apple/jsondoc"
)

// ParseList reads `simctl list -j`, whole or one section of it, of any Xcode. The only error is a text without a JSON object.
func ParseList(b []byte) (List, error) {
	l := List{Raw: map[string]json.RawMessage{}}
	body := l.stripNoise(b)
	sections, rest, err := members(body)
	if err != nil {
		return List{}, fmt.Errorf("simctl list: %w", err)
	}
	l.unparsed(rest)
	read := map[string]func(json.RawMessage) bool{
		"devices":     l.readDevices,
		"runtimes":    l.readRuntimes,
		"devicetypes": l.readDeviceTypes,
		"pairs":       l.readPairs,
	}
	for _, s := range sections {
		if f := read[s.key]; f == nil || !f(s.value) {
			l.keep(s.key, s.value)
		}
	}
	l.settle()
	return l, nil
}

// stripNoise returns the text from the line that opens the object: frameworks write remarks before it.
func (l *List) stripNoise(b []byte) []byte {
	for len(b) > 0 && !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		line, rest, found := bytes.Cut(b, []byte("\n"))
		if !found {
			break
		}
		l.unparsed(line)
		b = rest
	}
	return b
}

func (l *List) unparsed(b []byte) {
	if s := strings.TrimSpace(string(b)); s != "" {
		l.Unparsed = append(l.Unparsed, s)
	}
}

// keep stores unknown data; a key that occurs twice is stored twice.
func (l *List) keep(key string, v json.RawMessage) {
	name := key
	for i := 2; l.Raw[name] != nil; i++ {
		name = fmt.Sprintf("%s#%d", key, i)
	}
	l.Raw[name] = v
}

func (l *List) readDevices(v json.RawMessage) bool {
	sections, _, err := members(v)
	if err != nil {
		return false
	}
	for _, s := range sections {
		section := "devices/" + s.key
		if !l.each(section, s.value, func(f jsondoc.Extra) { l.Devices = append(l.Devices, readDevice(f, s.key)) }) {
			l.keep(section, s.value)
		}
	}
	return true
}

func (l *List) readRuntimes(v json.RawMessage) bool {
	return l.each("runtimes", v, func(f jsondoc.Extra) { l.Runtimes = append(l.Runtimes, readRuntime(f)) })
}

func (l *List) readDeviceTypes(v json.RawMessage) bool {
	return l.each("devicetypes", v, func(f jsondoc.Extra) { l.DeviceTypes = append(l.DeviceTypes, readDeviceType(f)) })
}

func (l *List) readPairs(v json.RawMessage) bool {
	pairs, _, err := members(v)
	if err != nil {
		return false
	}
	for _, p := range pairs {
		var f jsondoc.Extra
		if json.Unmarshal(p.value, &f) != nil || f == nil {
			l.keep("pairs/"+p.key, p.value)
			continue
		}
		l.Pairs = append(l.Pairs, readPair(f, p.key))
	}
	return true
}

// each calls f for the objects of an array; other values are stored under the name of the section.
func (l *List) each(section string, v json.RawMessage, f func(jsondoc.Extra)) bool {
	var items []json.RawMessage
	if json.Unmarshal(v, &items) != nil || items == nil {
		return false
	}
	for i, item := range items {
		var m jsondoc.Extra
		if json.Unmarshal(item, &m) != nil || m == nil {
			l.keep(fmt.Sprintf("%s/%d", section, i), item)
			continue
		}
		f(m)
	}
	return true
}

type member struct {
	key   string
	value json.RawMessage
}

// members reads an object in its order and with its repetitions, which a Go map would lose, and returns the text after it.
func members(b []byte) (all []member, rest []byte, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil {
		return nil, nil, noEOF(err)
	} else if t != json.Delim('{') {
		return nil, nil, errors.New("not a JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, nil, noEOF(err)
		}
		m := member{key: t.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, nil, noEOF(err)
		}
		all = append(all, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, noEOF(err)
	}
	return all, b[dec.InputOffset():], nil
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
