package resident

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLogIsBounded: the log and the one before it; a terminal is not a log.
func TestLogIsBounded(t *testing.T) {
	p := newPlace(t)
	out, err := os.OpenFile(p.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	l := &log{place: p, out: out, most: 1000}
	for i := range 1000 {
		fmt.Fprintf(l, "line %d\n", i)
	}
	now, err := os.ReadFile(p.LogPath())
	before, err2 := os.ReadFile(p.LogPath() + ".1")
	if err != nil || err2 != nil || len(now) > 1000 || len(before) > 1000 || !strings.HasSuffix(string(now), "line 999\n") {
		t.Errorf("%d and %d bytes: %v %v", len(now), len(before), err, err2)
	}
	first, _, _ := strings.Cut(string(now), "\n")
	if last := strings.Split(strings.TrimSpace(string(before)), "\n"); first == "" || last[len(last)-1] >= first {
		t.Errorf("%s after %s", first, last[len(last)-1])
	}
	other, err := os.Create(p.path(".other"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	l = &log{place: p, out: other, most: 10}
	for range 10 {
		fmt.Fprint(l, "123456789\n")
	}
	if size := fileSize(other.Name()); size != 100 {
		t.Errorf("another file has %d bytes", size)
	}
}
