package house_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// answerTime is what a call may take that is given a hostile path. Nothing of it may be read to the end, or waited for.
const answerTime = time.Minute

// TestHostilePathsAreRefusedInTime gives every path of the catalogue what a hostile folder can hold. Each call is answered in time with a
// fault that quotes nothing; neither a thread nor the device is held afterwards; no file is taken into memory.
func TestHostilePathsAreRefusedInTime(t *testing.T) {
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	files := h.Files()
	_, key := h.HTTP()
	paths := hostilePaths(t, h.Home.KeyFile())
	before := taken() // by all tests before this one
	for i, o := range h.Product.Catalogue.Ops() {
		for _, f := range o.Fields() {
			if f.Kind != op.File || !sampled(i, 4) {
				continue
			}
			for name, path := range paths {
				id := h.Product.Catalogue.ID(o)
				input := files.Example(o, id)
				delete(input, "start")
				delete(input, "force") // what may be overwritten is no trap
				for _, group := range o.Exclude {
					leaveOut(input, group, f.Name)
				}
				input[f.Name] = path
				input["session"] = id // what one remembers, the next must not use
				e, took := timed(t, h, o, input)
				switch raw, _ := json.Marshal(e); {
				case took >= answerTime:
					t.Fatalf("%s, %s is %s: no answer within %s", id, f.Name, name, answerTime)
				case strings.Contains(string(raw), key):
					t.Errorf("%s, %s is %s: it tells the key: %s", id, f.Name, name, raw)
				case e.Error == nil && id != "session_set_defaults" && !folderIsFine(f, name): // it only remembers paths
					t.Errorf("%s, %s is %s: it succeeds: %s", id, f.Name, name, raw)
				case e.Error != nil && e.Error.Code == fault.Internal:
					t.Errorf("%s, %s is %s: %s", id, f.Name, name, e.Text())
				}
			}
		}
	}
	h.Must("a", "snapshot", nil)
	blocked(t, before)
}

// leaveOut takes the other inputs of a group away.
func leaveOut(input map[string]any, group []string, keep string) {
	for _, name := range group {
		if name == keep {
			for _, other := range group {
				delete(input, other)
			}
			return
		}
	}
}

// folderIsFine: some inputs name a folder to write or to look into; an ordinary one is right there.
func folderIsFine(f op.Field, name string) bool {
	return name == "a folder" || strings.HasPrefix(name, "an app") && strings.Contains(f.Doc, "folder")
}

func timed(t *testing.T, h *house.House, o op.Op, input any) (op.Envelope, time.Duration) {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	caller := op.Local{Catalogue: h.Product.Catalogue, Session: "a", Dir: h.Home.String()}
	said := make(chan op.Envelope, 1)
	start := time.Now()
	go func() { said <- caller.Call(ctx, h.Product.Catalogue.ID(o), raw, nil) }()
	select {
	case e := <-said:
		return e, time.Since(start)
	case <-time.After(answerTime):
		return op.Envelope{}, answerTime
	}
}

// hostilePaths are what no operation may wait for, read to the end or quote.
func hostilePaths(t *testing.T, key string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	lay := map[string]func(path string) error{
		"a pipe":           func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
		"a folder":         func(path string) error { return os.Mkdir(path, 0o700) },
		"a link to itself": func(path string) error { return os.Symlink(path, path) },
		"the key":          func(path string) error { return os.Symlink(key, path) },
		"5 GB":             sparse,
	}
	paths := map[string]string{}
	for name, make := range lay {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		app := path + ".app"
		if err := os.Mkdir(app, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{path, filepath.Join(app, "Info.plist")} {
			if err := make(at); err != nil {
				t.Fatal(err)
			}
		}
		paths[name], paths["an app whose Info.plist is "+name] = path, app
	}
	return paths
}

func sparse(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(5 << 30)
}

// blocked wants no goroutine that waits in a system call for a file, and no memory that a file filled.
func blocked(t *testing.T, before uint64) {
	t.Helper()
	stacks := make([]byte, 8<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, one := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(one, "[syscall") && strings.Contains(one, "os.Open") {
			t.Errorf("still waiting:\n%s", one)
		}
	}
	if more := taken() - before; more > 400<<20 {
		t.Errorf("the process took %d MB", more>>20)
	}
}

// taken is how much memory this process has got from the system until now.
func taken() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
