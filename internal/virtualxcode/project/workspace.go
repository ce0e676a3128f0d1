package project

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Workspace is one .xcworkspace: what it refers to, as paths relative to the folder that holds it.
type Workspace struct {
	Name string
	Refs []string // projects and packages
}

// Contents is contents.xcworkspacedata.
func (w Workspace) Contents() []byte {
	var b strings.Builder
	b.WriteString(xml.Header + "<Workspace\n   version = \"1.0\">\n")
	for _, ref := range w.Refs {
		fmt.Fprintf(&b, "   <FileRef\n      location = \"group:%s\">\n   </FileRef>\n", escape(ref))
	}
	b.WriteString("</Workspace>\n")
	return []byte(b.String())
}

// self is the workspace inside every project.
const self = xml.Header + "<Workspace\n   version = \"1.0\">\n   <FileRef\n      location = \"self:\">\n   </FileRef>\n</Workspace>\n"

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

// refs flattens groups: a group's folder is prefixed to what is in it.
func (f workspaceFile) refs(folder string, all []string) []string {
	for _, r := range f.Refs {
		all = append(all, join(folder, r.Location))
	}
	for _, g := range f.Groups {
		all = g.refs(join(folder, g.Location), all)
	}
	return all
}

// join reads a location such as "group:Folder/X.xcodeproj"; "container:" starts at the workspace again.
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
