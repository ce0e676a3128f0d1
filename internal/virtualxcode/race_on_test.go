//go:build race

package virtualxcode_test

// How often conversations are repeated: in each of two halves, and through services. The race detector makes drawing
// pictures ten times slower, and it looks for other things.
const (
	rounds   = 3
	services = 2
)
