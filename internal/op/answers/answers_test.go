package answers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ios-agent/internal/op/answers"
)

func TestFolderKeepsTheNewestAnswersOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers")
	second := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := answers.In(dir, func() time.Time { second = second.Add(time.Second); return second })
	var last string
	for i := range 25 {
		var err error
		if last, err = f.Keep("list_flows", "json", bytes.Repeat([]byte{'x'}, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil || len(found) != 20 {
		t.Fatalf("got %d files, %v, want the newest 20", len(found), err)
	}
	whole, err := os.ReadFile(last)
	if err != nil || len(whole) != 25 || !strings.HasSuffix(last, ".json") || !strings.Contains(last, "list_flows") {
		t.Errorf("got %s with %d bytes, %v, want the last answer", last, len(whole), err)
	}
	if info, err := os.Stat(last); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file of its owner", info.Mode(), err)
	}
	if err := f.Clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(last); !os.IsNotExist(err) {
		t.Errorf("got %v after it was cleared, want no file", err)
	}
}

func TestFolderRefusesAnswerAboveItsLimit(t *testing.T) {
	if path, err := answers.In(t.TempDir(), time.Now).Keep("x", "txt", make([]byte, 65<<20)); err == nil {
		t.Errorf("got %s, want a refusal", path)
	}
}
