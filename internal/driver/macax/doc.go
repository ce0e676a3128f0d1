// Package macax implements the desktop of macOS through Apple's accessibility interface (AX), CGEvent and CGWindowList. AX gives trees,
// actions and events, CGEvent sends input, CGWindowList lists windows and takes pictures. Its main type is Desktop; it calls Apple's
// frameworks through purego, without cgo. The code is compiled for macOS, and elsewhere only with the tag macaxfake: the tests then use a
// library of their own (testdata) instead of the frameworks. No other binary may contain purego. Its assumptions about macOS come from
// documents and were not tried: docs/verified.md.
package macax
