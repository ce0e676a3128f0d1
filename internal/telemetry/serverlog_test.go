package telemetry_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/telemetry"
)

// TestOwnWarningsAreStoredAsEntries: what is a warning or worse is stored with its attributes, everything is handed on.
func TestOwnWarningsAreStoredAsEntries(t *testing.T) {
	s := telemetry.New(telemetry.Options{Path: filepath.Join(t.TempDir(), "telemetry.db")})
	defer s.Close()
	var out bytes.Buffer
	log := slog.New(s.Handler(slog.NewTextHandler(&out, nil), slog.LevelWarn))
	log.Info("quiet")
	log.With("udid", "U").WithGroup("lease").Warn("lost", "epoch", 3, slog.Group("by", "session", "ada"))
	log.Error("broken")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := s.Query(t.Context(), telemetry.Query{Sources: []telemetry.Source{telemetry.Server}})
	if err != nil || len(page.Entries) != 2 {
		t.Fatalf("%+v %v", page, err)
	}
	first, second := page.Entries[0], page.Entries[1]
	if first.Message != "lost udid=U lease.epoch=3 lease.by.session=ada" || first.Level != telemetry.Warning || first.Process != "ios-agent" {
		t.Errorf("%+v", first)
	}
	if second.Message != "broken" || second.Level != telemetry.Error {
		t.Errorf("%+v", second)
	}
	for _, word := range []string{"quiet", "lost", "broken"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%s was not handed on: %s", word, &out)
		}
	}
}
