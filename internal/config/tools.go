package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/machine/docfile"
)

// Tools has the MCP tools that the files of a project choose. A project may choose the tools that an agent sees; only the user may decide
// what an agent can destroy, not a file that came with a clone.
type Tools struct {
	Sets      []string            // sets of ios-agent's tools
	Workflows []string            // workflows of XcodeBuildMCP's tools
	Custom    map[string][]string // the project's own workflows of XcodeBuildMCP's tools
	Mistakes  []string            // problems in the files; the affected values are ignored
}

// KeyTools is the key of our file for the sets of tools.
const KeyTools = "tools"

// The keys of XcodeBuildMCP for its workflows.
const (
	keyWorkflows = "enabledWorkflows"
	keyCustom    = "customWorkflows"
)

// ReadTools reads the files of the project that a client works in. It never fails: the client may not have written the files, and gets
// their valid values.
func ReadTools(cwd string, keys Table) Tools {
	folder := Folder(cwd)
	t := Tools{Mistakes: Open(Options{Dir: folder, Keys: keys}).Warnings()}
	if doc, has := t.open(folder, ourConfig); has {
		sets, err := doc.Texts(KeyTools)
		t.Sets = sets
		t.note(folder, ourConfig, err, "it is a list, such as [core, session-management]")
	}
	if doc, has := t.open(folder, theirConfig); has {
		var err error
		t.Workflows, err = textsOrOne(doc, keyWorkflows)
		t.note(folder, theirConfig, err, "it is a list, such as [simulator, logging]")
		t.Custom, err = lists(doc, keyCustom)
		t.note(folder, theirConfig, err, "it has a list of tools for each name")
	}
	return t
}

func (t *Tools) open(folder, name string) (doc docfile.Document, has bool) {
	path := filepath.Join(folder, name)
	text, err := docfile.Read(folder, name, docfile.MostYAML)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, false
	}
	if err == nil {
		doc, err = docfile.YAML(string(text))
	}
	if err == nil {
		return doc, true
	}
	if said := fmt.Sprintf("%s is ignored: %v", docfile.Place(path, err), docfile.Reason(err)); !slices.Contains(t.Mistakes, said) {
		t.Mistakes = append(t.Mistakes, said)
	}
	return doc, false
}

func (t *Tools) note(folder, name string, err error, hint string) {
	if err != nil {
		place := docfile.Place(filepath.Join(folder, name), err)
		t.Mistakes = append(t.Mistakes, fmt.Sprintf("%s: %v; %s", place, docfile.Reason(err), hint))
	}
}

// textsOrOne reads a list, or one text with commas or blanks between the values.
func textsOrOne(doc docfile.Document, key string) ([]string, error) {
	if s, one := doc.Tree[key].(docfile.Scalar); one && s.Tag == docfile.TagText {
		return strings.FieldsFunc(s.Text, func(r rune) bool { return r == ',' || r == ' ' }), nil
	}
	return doc.Texts(key)
}

// lists reads a mapping of names to lists.
func lists(doc docfile.Document, key string) (map[string][]string, error) {
	tree, err := section(doc.Tree, key)
	if err != nil {
		return nil, &docfile.Problem{Line: doc.LineOf(key), Message: err.Error()}
	}
	all := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		inner := docfile.Document{Root: doc.Root, Tree: map[string]any{name: tree[name]}}
		list, err := inner.Texts(name)
		if err != nil {
			return all, &docfile.Problem{Line: doc.LineOf(key, name), Message: key + ": " + name + " must be a list of texts"}
		}
		all[name] = list
	}
	return all, nil
}
