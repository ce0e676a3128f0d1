package simctl

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/world"
)

// diagnose collects the data for a bug report: the output of list, and the logs of booted devices.
func diagnose(_ context.Context, c *call) error {
	given, err := c.options(map[string]option{"-b": flag, "-X": flag, "-l": flag, "--no-archive": flag, "--all-logs": flag,
		"--data-container": flag,
		"--output":         valued, "--udid": valued, "--timeout": valued})
	if err != nil || len(c.Args) > 0 {
		return errUsage
	}
	name := "simctl_diagnose_" + c.world.Now().Format("2006_01_02-15_04_05")
	to := filepath.Join(os.TempDir(), name)
	if given["--output"] != "" {
		to = filepath.Join(c.Path(given["--output"]), name)
	}
	files, err := c.evidence(given["--udid"])
	if err != nil {
		return err
	}
	_, plain := given["--no-archive"]
	if !plain {
		to += ".tar.gz"
	}
	fmt.Fprintf(c.Stdout, "Collecting diagnostics...\nWriting archive to %s\n", to)
	if plain {
		return writeFiles(to, files)
	}
	return writeArchive(to, name, files)
}

// evidence is the collected data, by file name.
func (c *call) evidence(udid string) (map[string][]byte, error) {
	var list bytes.Buffer
	quiet := *c
	quiet.Stdout = &list
	quiet.printList(sections(), nil, true)
	files := map[string][]byte{"simctl_list.json": list.Bytes()}
	for _, d := range c.world.Devices() {
		if udid != "" && d.UDID != udid || d.State != world.Booted {
			continue
		}
		entries, _, _, err := c.world.Logs(d.UDID, 0)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		for _, e := range entries {
			text.WriteString(syslogLine(entry{e, d}))
		}
		files[d.UDID+"/system.log"] = []byte(text.String())
	}
	return files, nil
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeArchive(path, folder string, files map[string][]byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(f)
	archive := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, archive.WriteHeader(&tar.Header{Name: folder + "/" + name, Mode: 0o644, Size: int64(len(files[name]))}))
		if err == nil {
			_, err = archive.Write(files[name])
		}
	}
	return errors.Join(err, archive.Close(), zipped.Close(), f.Close())
}

// logVerbose turns a device's verbose log on or off, from its next boot.
func logVerbose(ctx context.Context, c *call) error {
	name := "booted"
	if len(c.Args) == 2 {
		name, c.Args = c.Args[0], c.Args[1:]
	}
	if len(c.Args) != 1 || c.Args[0] != "enable" && c.Args[0] != "disable" {
		return errUsage
	}
	d, err := c.world.Find(name)
	if err != nil {
		return err
	}
	return c.world.SetVerboseLog(ctx, d.UDID, c.Args[0] == "enable")
}

// syncCloud asks a device to sync with iCloud. No account is signed in, so it has no effect.
func syncCloud(_ context.Context, c *call) error {
	if len(c.Args) != 1 {
		return errUsage
	}
	_, err := c.booted()
	return err
}
