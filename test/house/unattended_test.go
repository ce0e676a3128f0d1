package house_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// TestUnattendedOperationsAreHarmless: what clients are told to run without a question starts no code of the caller's choice, loses
// nothing and touches no file that the caller names, whatever inputs it is given, also step by step in a batch.
func TestUnattendedOperationsAreHarmless(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	precious := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(precious, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, servers := h.Product.Catalogue.Ops(), 0
	for _, o := range all {
		if o.Verb == "" {
			continue
		}
		if !o.Unattended() { // as a step it would be approved with the batch
			line := o.Verb
			for _, f := range o.Fields() {
				if f.Risky() {
					line += " --" + f.Flag() + "=" + precious
				} else if f.Required {
					line += " --" + f.Flag() + "=" + drivertest.Conformance
				}
			}
			says(h, t, "batch", in{"steps": []string{line}}, "INVALID_INPUT", "step")
			continue
		}
		for _, s := range o.Shorts() {
			if s.Elsewhere == "" {
				continue
			}
			servers++
			if e := h.Call("a", h.Product.Catalogue.ID(o), in{s.Default: "http://127.0.0.1:1"}); e.Error == nil || e.Error.Code != fault.Forbidden {
				t.Errorf("%s --%s: got %s, want %s", o.Verb, s.Flag, e.Text(), fault.Forbidden)
			}
		}
		for _, f := range o.Fields() {
			if f.Risky() || o.Hints.Has(op.Destructive|op.Executes) {
				t.Errorf("%s runs unattended and takes %s", o.Name, f.Name)
			}
			if f.Name != "env" || o.Family != op.Core { // no client is told to run views
				continue
			}
			for _, pair := range foreignCode {
				e := h.Call("a", o.Name, in{"bundle_id": drivertest.Conformance, "env": []string{pair}})
				if e.Error == nil || e.Error.Code != "FORBIDDEN" || !strings.Contains(e.Error.Message, strings.Split(pair, "=")[0]) {
					t.Errorf("%s %s: %s", o.Name, pair, e.Text())
				}
			}
		}
	}
	for _, line := range []string{
		"uninstall " + drivertest.Conformance, "install " + precious, "screenshot --force --out " + precious,
		"record-video --force --out " + precious, "connect --exec sh", "call uninstall_app", "virtual reset",
		"launch " + drivertest.Conformance + " --env DYLD_INSERT_LIBRARIES=/tmp/x.dylib", "screenshot --wda-url http://127.0.0.1:1",
		"type x --wda-url http://127.0.0.1:1",
	} {
		if e := h.Call("a", "batch", in{"steps": []string{line}}); e.Error == nil {
			t.Errorf("batch %q: %s", line, e.Text())
		}
	}
	if raw, err := os.ReadFile(precious); err != nil || string(raw) != "precious" {
		t.Errorf("%q %v", raw, err)
	}
	if e := h.Must("a", "list_apps", nil); !strings.Contains(e.Stdout, drivertest.Conformance) {
		t.Errorf("the app is gone: %s", e.Stdout)
	}
	h.Must("a", "batch", in{"steps": []string{"screenshot", "launch " + drivertest.Conformance + " --env GREETING=hello"}})
	if !slices.ContainsFunc(all, func(o op.Op) bool { return o.Name == "snapshot" && o.Unattended() }) {
		t.Error("nothing may run unattended")
	}
	if servers == 0 {
		t.Error("no operation has a flag that names a server")
	}
}

// foreignCode are variables with which whoever launches an app makes it run other code, or write files.
var foreignCode = []string{
	"DYLD_INSERT_LIBRARIES=/tmp/x.dylib", "DYLD_FRAMEWORK_PATH=/tmp", "DYLD_LIBRARY_PATH=/tmp", "DYLD_PRINT_TO_FILE=/tmp/x",
	"__XPC_DYLD_INSERT_LIBRARIES=/tmp/x.dylib", "XCInjectBundle=/tmp/x", "SWIFT_BACKTRACE=swift-backtrace=/tmp/x", "MallocLogFile=/tmp/x",
	"ASAN_OPTIONS=external_symbolizer_path=/tmp/x",
	"UBSAN_SYMBOLIZER_PATH=/tmp/x", "LLVM_PROFILE_FILE=/tmp/x",
}
