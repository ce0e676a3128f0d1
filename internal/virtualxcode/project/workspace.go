package project

import (
	"encoding/xml"
	"fmt"
	"strings"
)

type workspaceFile struct {
	Location string          `xml:"location,attr"`
	Refs     []workspaceFile `xml:"FileRef"`
	Groups   []workspaceFile `xml:"Group"`
}

// ParseWorkspace reads contents.xcworkspacedata.
func ParseWorkspace(name string, data []byte) (Workspace, error) {
	var f workspaceFile
	if err := xml.Unmarshal(data, &f); err != nil {
		return Workspace{}, fmt.Errorf("workspace %s: %w", name, err)
	}
	return Workspace{Name: name, Refs: f.refs("", nil)}, nil
}

// refs flattens groups: the folder of a group becomes a prefix of its content.
func (f workspaceFile) refs(folder string, all []string) []string {
	for _, r := range f.Refs {
		all = append(all, join(folder, r.Location))
	}
	for _, g := range f.Groups {
		all = g.refs(join(folder, g.Location), all)
	}
	return all
}

// join resolves a location such as "group:Folder/X.xcodeproj"; "container:" starts at the workspace.
func join(folder, location string) string {
	kind, rest, found := strings.Cut(location, ":")
	switch {
	case !found:
		return folder
	case kind == "group" && folder != "" && rest != "":
		return folder + "/" + rest
	case kind == "group" && rest == "":
		return folder
	}
	return rest
}
