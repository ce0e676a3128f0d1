package telemetry_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ios-agent/internal/telemetry"
)

func flows(from, to int) (docs []telemetry.Document) {
	for i := from; i < to; i++ {
		docs = append(docs, telemetry.Document{Kind: "flow", ID: fmt.Sprint(i), Group: "g", Body: fmt.Appendf(nil, `{"n":%d}`, i)})
	}
	return docs
}

func heads(t *testing.T, s *telemetry.Store) (ids []string) {
	t.Helper()
	all, err := s.Heads(t.Context(), "flow")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range all {
		if ids = append(ids, h.ID); h.Body != nil || h.Group != "g" || h.Arrived.IsZero() {
			t.Errorf("%+v", h)
		}
	}
	return ids
}

// TestKeepManyStoresDocumentsInOrder: documents in their order, each with the number that was told; one that comes again moves to the end;
// what was marked with them is there, also for the next daemon.
func TestKeepManyStoresDocumentsInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "telemetry.db")
	s := at(t, path)
	if mark, err := s.Mark(t.Context(), "read"); mark != 0 || err != nil {
		t.Error(mark, err)
	}
	if err := s.Keep(t.Context(), telemetry.Document{Kind: "build", ID: "1"}); err != nil {
		t.Fatal(err)
	}
	numbers, err := s.KeepMany(t.Context(), flows(0, 4), map[string]int64{"read": 7, "last": 1 << 60})
	if err != nil || !slices.Equal(numbers, []int64{2, 3, 4, 5}) {
		t.Fatal(numbers, err)
	}
	if numbers, err = s.KeepMany(t.Context(), flows(1, 2), map[string]int64{"read": 8}); err != nil || !slices.Equal(numbers, []int64{6}) {
		t.Fatal(numbers, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = at(t, path)
	for name, want := range map[string]int64{"read": 8, "last": 1 << 60, "other": 0} {
		if mark, err := s.Mark(t.Context(), name); mark != want || err != nil {
			t.Errorf("%s: %d %v", name, mark, err)
		}
	}
	if s.Last() != 6 {
		t.Error(s.Last())
	}
	if got := heads(t, s); !slices.Equal(got, []string{"0", "2", "3", "1"}) {
		t.Error(got)
	}
	docs, err := s.Numbered(t.Context(), []int64{6, 3, 2, 99})
	if err != nil || len(docs) != 2 || docs[0].ID != "1" || string(docs[0].Body) != `{"n":1}` || docs[1].ID != "0" || docs[1].Time.IsZero() {
		t.Errorf("%+v %v", docs, err)
	}
}

// TestDiscardRemovesOldestDocumentsOfKind: documents of one kind go, oldest first; others stay, and numbers go on.
func TestDiscardRemovesOldestDocumentsOfKind(t *testing.T) {
	s := at(t, filepath.Join(t.TempDir(), "telemetry.db"))
	if err := s.Discard(t.Context(), "flow", 10); err != nil {
		t.Fatal(err)
	}
	if first, err := s.First(t.Context(), "flow"); first != 0 || err != nil {
		t.Error(first, err)
	}
	if err := s.Keep(t.Context(), telemetry.Document{Kind: "build", ID: "1", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.KeepMany(t.Context(), flows(0, 5), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Discard(t.Context(), "flow", 3); err != nil {
		t.Fatal(err)
	}
	if first, err := s.First(t.Context(), "flow"); first != 4 || err != nil {
		t.Error(first, err)
	}
	if got := heads(t, s); !slices.Equal(got, []string{"2", "3", "4"}) {
		t.Error(got)
	}
	if _, total, err := s.Documents(t.Context(), telemetry.DocumentQuery{Kind: "build"}); total != 1 || err != nil {
		t.Error(total, err)
	}
	if numbers, err := s.KeepMany(t.Context(), flows(9, 10), nil); err != nil || numbers[0] != 7 {
		t.Error(numbers, err)
	}
}
