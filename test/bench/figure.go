package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unit is what a figure is counted in.
type unit string

const (
	times     unit = "×"
	percent   unit = "%"
	megabytes unit = "MB"  // of a process's memory
	mebibytes unit = "MiB" // of files
	octets    unit = "B"
	pieces    unit = ""
	millis    unit = "ms"
	micros    unit = "µs"
)

// figure is one number and the most it may be.
type figure struct {
	name    string
	value   float64
	unit    unit
	bound   float64
	skipped bool // this system does not tell
	systems bool // it is up to the system as well, and never fails the run
}

func (f figure) over() bool { return !f.skipped && f.value > f.bound }

// breaks reports whether the figure fails the run. Times never do: how long something takes is up to the machine.
func (f figure) breaks() bool { return f.over() && !f.systems && f.unit != millis && f.unit != micros }

// counted reports whether the figure is a count or the size of a file: a machine that is busy with something else gives the same.
func (f figure) counted() bool { return f.unit == pieces || f.unit == octets || f.unit == mebibytes }

// String is the figure's line.
func (f figure) String() string {
	value, verdict := f.amount(f.value), "ok"
	if f.over() {
		verdict = "over"
	}
	if f.skipped {
		value, verdict = "skipped", "skipped"
	}
	return fmt.Sprintf("%-58s  %9s  %10s  %s", f.name, value, "≤ "+f.amount(f.bound), verdict)
}

// amount writes a number with two decimals at most, and with its unit.
func (f figure) amount(v float64) string {
	text := strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	return strings.TrimSpace(text + " " + string(f.unit))
}

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantile is the smallest value that a share q of all values does not exceed.
func quantile[T cmp.Ordered](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, i)]
}

func median[T cmp.Ordered](values []T) T { return quantile(values, 0.5) }

// ratio compares two series by their medians, which one slow moment of the machine does not move.
func ratio(ours, baseline []time.Duration) float64 {
	return float64(median(ours)) / float64(median(baseline))
}

// alternate takes n samples of each kind, in turns, so that a busy machine is busy for all of them.
func alternate(n int, kinds ...func() (time.Duration, error)) ([][]time.Duration, error) {
	samples := make([][]time.Duration, len(kinds))
	for range n {
		for i, sample := range kinds {
			d, err := sample()
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], d)
		}
	}
	return samples, nil
}
