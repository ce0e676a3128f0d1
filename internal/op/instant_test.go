package op

import (
	"context"
	"testing"
	"time"
)

// TestInstantParsesTimesWithAndWithoutZone: with Z, with an offset, without a zone; what a query made of a +; and what is no moment.
func TestInstantParsesTimesWithAndWithoutZone(t *testing.T) {
	at := time.Date(2026, 1, 31, 15, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"  ":                        {},
		"2026-01-31T15:04:05Z":      at,
		"2026-01-31t15:04:05z":      at,
		"2026-01-31T15:04:05":       at,
		"2026-01-31 15:04:05":       at,
		"2026-01-31T17:04:05+02:00": at,
		"2026-01-31T17:04:05 02:00": at,
		"2026-01-31 17:04:05 02:00": at,
		"2026-01-31T17:04:05+0200":  at,
		"2026-01-31T12:04:05-03:00": at,
		"2026-01-31T15:04:05.25Z":   at.Add(250 * time.Millisecond),
		"2026-01-31T15:04:05.25":    at.Add(250 * time.Millisecond),
		"2026-01-31T15:04":          at.Truncate(time.Minute),
		"2026-01-31":                at.Truncate(24 * time.Hour),
	} {
		if got, err := Instant(text).Time(); err != nil || !got.Equal(want) || !got.IsZero() && got.Location() != time.UTC {
			t.Errorf("%q is %v, want %v (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{
		"yesterday", "5m", "2026-02-30", "2026-13-01T00:00:00Z", "2026-01-31T25:00:00Z", "1770560000", "2026-01-31T15:04:05Z x",
	} {
		if got, err := Instant(text).Time(); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// TestInvalidInstantReportsItsField: it is a misfit as every other, with its field.
func TestInvalidInstantReportsItsField(t *testing.T) {
	type in struct {
		Since Instant `json:"since,omitempty" doc:"from then on"`
	}
	o := New(Spec{Name: "since", Groups: []string{"x"}, Summary: "Since"}, func(_ context.Context, _ *Call, in in) (struct{}, error) {
		return struct{}{}, nil
	})
	if wrong := o.Misfit([]byte(`{"since":"yesterday"}`)); wrong == nil || wrong.Field != "since" || wrong.Kind != NoInstant {
		t.Errorf("%+v", wrong)
	}
	if wrong := o.Misfit([]byte(`{"since":"2026-01-31T15:04:05"}`)); wrong != nil {
		t.Errorf("%v", wrong)
	}
}
