package ops

import (
	"ios-agent/internal/apple/toolfault"
	"ios-agent/internal/fault"
)

// toolFault gives a code to what running a program can end in; the code given is for a program that ran and said no.
func toolFault(err error, code fault.Code, what string) error { return toolfault.New(err, code, what) }
