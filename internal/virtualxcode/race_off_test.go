//go:build !race

package virtualxcode_test

// How often conversations are repeated: in each of two halves, and through services.
const (
	rounds   = 10
	services = 5
)
