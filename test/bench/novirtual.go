package main

import (
	"context"
	"os"
	"time"
)

// without compares our program with a build without Virtual Xcode: its size, and the start time of every call.
func without(ctx context.Context, l *lab) ([]figure, error) {
	sample := func(name string) func() (time.Duration, error) {
		return func() (time.Duration, error) { return l.took(ctx, name, "--version") }
	}
	got, err := alternate(30, sample("ios-agent"), sample("novirtual"))
	if err != nil {
		return nil, err
	}
	var sizes []float64
	for _, name := range []string{"ios-agent", "stripped", "novirtual"} {
		info, err := os.Stat(l.program(name))
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, float64(info.Size()))
	}
	return []figure{
		{name: "binary: size", value: sizes[0] / (1 << 20), unit: mebibytes, bound: 68},
		{name: "binary: size, stripped as it is released", value: sizes[1] / (1 << 20), unit: mebibytes, bound: 48},
		{name: "binary: size / without Virtual Xcode", value: sizes[0] / sizes[2], unit: times, bound: 1.3},
		{name: "binary: start", value: inMillis(median(got[0])), unit: millis, bound: 20},
		{name: "binary: start / without Virtual Xcode", value: ratio(got[0], got[1]), unit: times, bound: 1.5},
	}, nil
}
