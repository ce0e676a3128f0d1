package config

import (
	"errors"
	"fmt"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// The keys of the config file that this package reads. It leaves all other keys unchanged: they belong to other packages.
const (
	keyVersion  = "schemaVersion"
	keyGlobal   = "sessionDefaults"
	keyProfiles = "sessionDefaultsProfiles"
	keyActive   = "activeSessionDefaultsProfile"
	keyDevices  = "devices" // the drivers of single devices: read in the past, now refused
)

const schemaVersion = "1"

// config is the content of the file.
type config struct {
	state
	profiles map[string]layer // "" is the global profile
	active   string
	settings map[string]string
	warnings []string
}

// readConfig never fails: a broken file must not stop a session, since the caller may not have written the file.
func readConfig(f file, now state, at folders) config {
	c := config{state: now}
	doc, err := now.document()
	if err != nil {
		c.warnings = []string{fmt.Sprintf("%s is ignored: %v", place(f, err), docfile.Reason(err))}
		return c
	}
	r := &reader{file: f.path(), folders: at, doc: doc, allowed: strings.Split(now.allowed, "\n")}
	r.read(&c)
	c.warnings = r.warnings
	return c
}

// document parses and checks the file. A missing file is an empty document.
func (s state) document() (document, error) {
	if s.failure != "" {
		return document{}, errors.New(s.failure)
	}
	doc, err := parse(s.text)
	if err != nil {
		return document{}, err
	}
	return doc, doc.vet()
}

// vet refuses a file with a wrong structure: reading its values would be guessing, and writing to it could damage it.
func (d document) vet() error {
	if v, has := d.Tree[keyVersion].(scalar); d.Tree[keyVersion] != nil && (!has || v.Text != schemaVersion) {
		return &problem{Line: d.LineOf(keyVersion), Message: keyVersion + " must be " + schemaVersion}
	}
	for _, key := range []string{keyGlobal, keyProfiles} {
		if _, err := section(d.Tree, key); err != nil {
			return &problem{Line: d.LineOf(key), Message: err.Error()}
		}
	}
	profiles, _ := section(d.Tree, keyProfiles)
	for name := range profiles {
		if _, err := section(profiles, name); err != nil {
			return &problem{Line: d.LineOf(keyProfiles, name), Message: err.Error()}
		}
	}
	return nil
}

// section returns a mapping inside a mapping; an empty mapping if the key is missing.
func section(tree map[string]any, key string) (map[string]any, error) {
	switch v := tree[key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	case scalar:
		if v.Tag == docfile.TagNull {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s must be a mapping", key)
}

func place(f file, err error) string { return docfile.Place(f.path(), err) }
