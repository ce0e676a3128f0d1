//go:build !race

package xctest_test

const raceEnabled = false
