package op

import (
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
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

// TimeOf reads an RFC 3339 time, or a duration ago such as 5m.
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
		return at, fault.New(fault.InvalidInput, "%s: %.40q is neither a duration such as 5m nor an RFC 3339 time", field, text).
			With("field", field).WithHint("set %s to a duration ago, such as 10m, or to an RFC 3339 time", hint.Field(field))
	}
	return at, nil
}

// Nothing, an empty struct, is for operations without inputs.
type Nothing struct{}

func Seconds(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
