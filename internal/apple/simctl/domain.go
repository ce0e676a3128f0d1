package simctl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"

	"howett.net/plist"

	"ios-agent/internal/machine/docfile"
)

// Domain is a whole preferences domain of a device. A run of simctl takes a second or two on a busy Mac: a domain is read and written with
// two runs, and its values would need dozens.
type Domain struct {
	name   string
	values map[string]any
}

// ReadDomain reads a domain of a booted device; a domain that was never written is empty.
func (t Tool) ReadDomain(ctx context.Context, udid, name string) (Domain, error) {
	d := Domain{name: name, values: map[string]any{}}
	r, err := t.Spawn(ctx, udid, "defaults", "export", name, "-")
	if refusedBy(err, defaultsMissing) {
		return d, nil
	}
	if err == nil {
		err = docfile.Plist(r.Stdout, &d.values)
	}
	return d, err
}

// WriteDomain writes the domain with other values for some preferences. The whole domain goes back, so that the result is the same whether
// defaults adds the values to the domain or replaces it. defaults reads file, which WriteDomain writes and removes: programs of a simulator
// see the files of the Mac, but may not get their standard input.
func (t Tool) WriteDomain(ctx context.Context, udid string, d Domain, changes []Preference, file string) (err error) {
	values := maps.Clone(d.values)
	for _, p := range changes {
		if delete(values, p.Key); p.Kind == "" {
			continue
		}
		if values[p.Key], err = p.value(); err != nil {
			return err
		}
	}
	data, err := plist.Marshal(values, plist.XMLFormat)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("the preferences of %s: %w", d.name, err)
	}
	_, err = t.Spawn(ctx, udid, "defaults", "import", d.name, file)
	return errors.Join(err, os.Remove(file))
}

// value is the preference as property lists have it.
func (p Preference) value() (any, error) {
	switch p.Kind {
	case "bool":
		return p.Value == yes, nil
	case "int":
		return strconv.ParseInt(p.Value, 0, 64)
	case "float":
		return strconv.ParseFloat(p.Value, 64)
	case "string":
		return p.Value, nil
	}
	return nil, fmt.Errorf("%s %s is of type %q, which cannot be written", p.Domain, p.Key, p.Kind)
}

// Preference returns a value of the domain; a missing one has no kind.
func (d Domain) Preference(key string) (Preference, error) {
	p := Preference{Domain: d.name, Key: key}
	switch v := d.values[key].(type) {
	case nil:
	case bool:
		p.Kind, p.Value = "bool", no
		if v {
			p.Value = yes
		}
	case int64, uint64:
		p.Kind, p.Value = "int", fmt.Sprint(v)
	case float64:
		p.Kind, p.Value = "float", strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		p.Kind, p.Value = "string", v
	default:
		return p, unrestorable(p, fmt.Sprintf("%T", v))
	}
	return p, nil
}

// Has reports whether the domain has the preference with this value, or lacks a preference without a kind.
func (d Domain) Has(p Preference) bool {
	is, err := d.Preference(p.Key)
	return err == nil && is == p
}
