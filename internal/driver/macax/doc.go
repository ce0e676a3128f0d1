// Package macax is the desktop of macOS: trees, actions and events through Apple's accessibility interface (AX), input through CGEvent,
// windows and pictures through CGWindowList. Its main type is Desktop; it calls Apple's frameworks through purego, without cgo. The code
// is compiled for macOS, and elsewhere only with the tag macaxfake: the tests then use a library of their own (testdata) instead of the
// frameworks. No other binary may contain purego. Its assumptions about macOS come from documents and were not tried: docs/verified.md.
package macax
