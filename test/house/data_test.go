package house_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/telemetry"
	"ios-agent/test/house"
)

// TestStoredDataIsCountedAndDeleted: what is stored is counted, the doctor says how long it is kept, and it can be deleted.
func TestStoredDataIsCountedAndDeleted(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	path := filepath.Join(h.Home.String(), "telemetry.db")
	before := telemetry.New(telemetry.Options{Path: path})
	for i := range 1000 {
		before.Add(telemetry.Entry{Message: fmt.Sprint("a line of yesterday ", i)})
	}
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	type usage struct {
		Path      string
		Entries   int
		Bytes     int
		KeepForMS int `json:"keep_for_ms"`
		KeepBytes int `json:"keep_bytes"`
	}
	shown := house.Result[usage](h, h.Must("a", "data_show", nil))
	if shown.Entries < 1000 || shown.Path != path || shown.KeepForMS != 7*24*3600*1000 || shown.KeepBytes != 1<<30 {
		t.Errorf("%+v", shown)
	}
	if r := h.CLI("a", "doctor"); !strings.Contains(r.Stdout, "kept for 7 days, up to 1 GB") {
		t.Errorf("got %+v, want how long data is kept, and how much", r)
	}
	if r := h.CLI("a", "data", "delete"); r.Exit != 0 || !strings.Contains(r.Stdout, "lines") {
		t.Errorf("%+v", r)
	}
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "yesterday") {
		t.Errorf("it is still there: %v", err)
	}
	if left := house.Result[usage](h, h.Must("a", "data_show", nil)); left.Entries >= shown.Entries || left.Bytes >= shown.Bytes {
		t.Errorf("%+v after %+v", left, shown)
	}
}
