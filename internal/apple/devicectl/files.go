package devicectl

import (
	"context"
	"errors"
	"strings"
	"time"

	"ios-agent/internal/apple/jsondoc"
)

// CrashLogs is the domain of a device's crash reports.
const CrashLogs = "systemCrashLogs"

// The maximum time of each command: a device has thousands of reports after some months.
const (
	FilesTimeout = 2 * time.Minute
	CopyTimeout  = 2 * time.Minute
)

// File is a file on a device.
type File struct {
	Name     string        `json:"name,omitempty"`
	Path     string        `json:"relativePath,omitempty"` // in its domain
	About    FileAbout     `json:"metadata,omitzero"`
	Resource FileResource  `json:"resources,omitzero"`
	Extra    jsondoc.Extra `json:"-"`
}

// FileAbout is the size and the age of a file.
type FileAbout struct {
	Size     int64         `json:"size,omitempty"`
	Modified string        `json:"lastModDate,omitempty"` // RFC 3339
	Extra    jsondoc.Extra `json:"-"`
}

// FileResource is the kind of a file.
type FileResource struct {
	Folder bool          `json:"isDirectory,omitempty"`
	Link   bool          `json:"isSymbolicLink,omitempty"`
	Extra  jsondoc.Extra `json:"-"`
}

// Files lists the files of a domain on a device.
func (t Tool) Files(ctx context.Context, device, domain string) ([]File, error) {
	const name = "device info files"
	if err := words(name, device, domain); err != nil {
		return nil, err
	}
	out, err := t.do(ctx, FilesTimeout, name, []string{"device", "info", "files", "--device", device, "--domain-type", domain}, nil)
	if err != nil || out.Result == nil {
		return nil, err
	}
	return out.Result.Files, nil
}

// CopyFrom copies a file of a domain from a device to this machine.
func (t Tool) CopyFrom(ctx context.Context, device, domain, source, destination string) error {
	const name = "device copy from"
	if err := words(name, device, domain, source, destination); err != nil {
		return err
	}
	if strings.Contains(source, "..") {
		return errors.New(`devicectl device copy from: the path must not contain ".."`)
	}
	_, err := t.do(ctx, CopyTimeout, name, []string{"device", "copy", "from", "--device", device, "--domain-type", domain, "--source", source,
		"--destination", destination}, nil)
	return err
}
