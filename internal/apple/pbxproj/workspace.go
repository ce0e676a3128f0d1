package pbxproj

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// Workspace is one .xcworkspace: its references, as paths relative to its folder.
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
