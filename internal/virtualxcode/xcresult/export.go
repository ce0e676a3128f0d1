package xcresult

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ios-agent/internal/virtualxcode/applejson"
)

// attachment is a file attached by a test.
type attachment struct {
	name, exported string
	payload        string // its id in the bundle
	of             place
	device         Device
}

// attachment is the i-th attachment of a test. Its name in the bundle is a UUID, as in real bundles.
func (b Bundle) attachment(c place, i int) attachment {
	sum := sha256.Sum256(fmt.Append(nil, b.caseURL(c), "\x00", i))
	ext := filepath.Ext(c.Attachments[i])
	id := strings.ToUpper(fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
	return attachment{name: strings.TrimSuffix(c.Attachments[i], ext) + "_0_" + id + ext, exported: id + ext, payload: b.id(id), of: c,
		device: b.Device}
}

func (a attachment) failed() bool { return a.of.Result == Failed }

func (a attachment) json() object {
	return object{"name": a.name, "payloadId": a.payload, "uuid": strings.TrimSuffix(a.exported, filepath.Ext(a.exported)),
		"timestamp": a.of.Start, "lifetime": "keepAlways"}
}

// contents is a short content of the right type.
func (a attachment) contents() string {
	if filepath.Ext(a.exported) == ".png" {
		return "\x89PNG\r\n\x1a\n"
	}
	return "An attachment of Virtual Xcode: " + a.name + "\n"
}

// exportAttachments writes the files and a manifest with their names and tests.
func exportAttachments(_ Tool, q query) error {
	b, err := Read(q.abs(q.path))
	if err != nil {
		return err
	}
	to := q.abs(q.output)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	manifest, found := array{}, q.testID == ""
	for c := range b.cases() {
		named := q.testID == "" || b.names(c, q.testID)
		found = found || named
		if !named || len(c.Attachments) == 0 || q.onlyFailures && c.Result != Failed {
			continue
		}
		files := array{}
		for i := range c.Attachments {
			a := b.attachment(c, i)
			if err := os.WriteFile(filepath.Join(to, a.exported), []byte(a.contents()), 0o644); err != nil {
				return err
			}
			files = append(files, object{"exportedFileName": a.exported, "suggestedHumanReadableName": a.name,
				"isAssociatedWithFailure": a.failed(),
				"timestamp":               c.Start, "configurationName": "Test Scheme Action", "deviceName": b.Device.Name,
				"deviceId": b.Device.ID})
		}
		manifest = append(manifest, object{"testIdentifier": c.identifier(), "testIdentifierURL": b.caseURL(c), "attachments": files})
	}
	if !found {
		return notFound(q)
	}
	return os.WriteFile(filepath.Join(to, "manifest.json"), []byte(applejson.Style{PlainSlashes: true}.Encode(manifest)), 0o644)
}

// exportDiagnostics writes the logs of the test runners.
func exportDiagnostics(_ Tool, q query) error {
	b, err := Read(q.abs(q.path))
	if err != nil {
		return err
	}
	if !b.Tested {
		return fmt.Errorf("no diagnostics in the result bundle")
	}
	for _, t := range b.Tests {
		dir := filepath.Join(q.abs(q.output), t.Name+"-Configuration-Test Scheme Action-Iteration-1")
		text := ""
		for _, s := range t.Suites {
			for _, c := range s.Cases {
				text += c.output(t, s)
			}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "StandardOutputAndStandardError.txt"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// exportObject is the older form: one object by its id, as a file.
func exportObject(_ Tool, q query) error {
	b, err := Read(q.abs(q.path))
	if err != nil {
		return err
	}
	if q.id == "" {
		return usageError("Missing expected argument '--id <id>'")
	}
	if q.kind != "file" && q.kind != "directory" {
		return usageError(fmt.Sprintf("The value '%s' is invalid for '--type <type>'", q.kind))
	}
	if q.id == b.id("diagnostics") && q.kind == "directory" {
		return exportDiagnostics(Tool{}, q)
	}
	for c := range b.cases() {
		for i := range c.Attachments {
			if a := b.attachment(c, i); a.payload == q.id && q.kind == "file" {
				return os.WriteFile(q.abs(q.output), []byte(a.contents()), 0o644)
			}
		}
	}
	v, err := legacy(b, q)
	if err != nil {
		return err
	}
	return os.WriteFile(q.abs(q.output), []byte(applejson.Style{PlainSlashes: true}.Encode(v)), 0o644)
}
