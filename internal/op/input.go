package op

import (
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
)

func Milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// NameValues reads NAME=VALUE pairs.
func NameValues(field string, list []string) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.InvalidInput, "%s %q is not NAME=VALUE", field, pair).With("field", field)
		}
		values[name] = value
	}
	return values, nil
}

// TimeOf reads a moment, or how long ago it was.
func TimeOf(field, text string, now func() time.Time) (time.Time, error) {
	ago, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is && err != nil {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		ago = time.Duration(n * 24 * float64(time.Hour))
	}
	if err == nil && ago >= 0 {
		return now().Add(-ago), nil
	}
	at, err := Instant(text).Time()
	if err != nil {
		return at, fault.New(fault.InvalidInput, "%s: %.40q is neither a time such as 5m nor a moment such as 2026-01-31T15:04:05Z", field, text).
			With("field", field).WithHint("write `--%s 10m`, or a moment with its zone", field)
	}
	return at, nil
}

// Nothing is an empty input.
type Nothing struct{}

func Seconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
