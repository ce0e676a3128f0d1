// Package macax is the desktop of macOS: trees, actions and events by Apple's accessibility interface (AX), input by CGEvent, windows and
// pictures by CGWindowList. It calls Apple's frameworks without cgo, by purego. Its code is compiled for macOS, and anywhere else only
// with the tag macaxfake, with which its tests run over a library of their own (testdata) that stands for the frameworks: so purego is in
// no other binary. What it knows of macOS was read, not tried: docs/verified.md.
package macax
