// Package freeport finds TCP ports for tests that release a port and use it again later. Of avoids the ports that the kernel gives out,
// because another test may get a released one of these.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports that no system gives out by itself, and that ours do not begin with.
const first, some = 20_000, 10_000

// Of is a port that is free now, and that other programs are unlikely to take.
func Of(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := first + rand.IntN(some)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}
