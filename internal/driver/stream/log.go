package stream

import (
	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
)

// LogOptions converts a filter of the log into simctl's options.
func LogOptions(what device.LogFilter) (o simctl.LogOptions, err error) {
	o.Level = string(what.Level)
	if what.Events {
		o.Style = "ndjson"
	}
	var process string
	if what.Process != "" {
		if process, err = simctl.FromProcess(what.Process); err != nil {
			return o, err
		}
	}
	subsystems, err := simctl.FromSubsystems(what.Subsystems...)
	o.Predicate = simctl.Both(process, subsystems)
	if o.Predicate == "" && what.Events { // with a predicate it says when it has begun
		o.Predicate = simctl.AllEvents
	}
	return o, err
}
