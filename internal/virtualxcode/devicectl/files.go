package devicectl

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/swiftargs"
)

// crashLogs is the only supported domain of files.
const crashLogs = "systemCrashLogs"

// reports returns the crash reports on the device by file name.
func (c *call) reports() (map[string]string, error) {
	if is := c.args.Value("--domain-type"); is != crashLogs {
		return nil, swiftargs.Refuse("The value '%s' is invalid for '--domain-type <domain-type>'", is)
	}
	c.connect()
	all, err := c.world.CrashReports(c.device.UDID)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, r := range all {
		if r.Path != "" {
			found[filepath.Base(r.Path)] = r.Path
		}
	}
	return found, nil
}

func listFiles(_ context.Context, c *call) (object, error) {
	found, err := c.reports()
	if err != nil {
		return nil, err
	}
	files := []any{}
	for name, path := range found {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		files = append(files, object{
			"name": name, "relativePath": name, "resources": object{"isDirectory": false, "isSymbolicLink": false},
			"metadata": object{"size": info.Size(), "lastModDate": info.ModTime().UTC().Format(time.RFC3339)},
		})
		c.say("%s\n", name)
	}
	return object{"deviceIdentifier": c.device.Identifier, "domain": crashLogs, "domainIdentifier": "", "files": files}, nil
}

const maxReport = 64 << 20 // maximum size of a crash report in bytes

func copyFrom(_ context.Context, c *call) (object, error) {
	found, err := c.reports()
	if err != nil {
		return nil, err
	}
	source, to := c.args.Value("--source"), c.Path(c.args.Value("--destination"))
	path := found[source]
	if path == "" {
		return nil, &failure{domain: coreDevice, code: 7000, message: "The specified file could not be transferred.", underlying: &failure{
			domain: "NSPOSIXErrorDomain", code: 2, message: "No such file or directory"}}
	}
	data, err := regularfile.Read(path, maxReport)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return nil, err
	}
	c.say("File transfer from %s to %s succeeded.\n", source, to)
	return object{"deviceIdentifier": c.device.Identifier, "domain": crashLogs, "files": []any{object{"name": source}}}, nil
}
