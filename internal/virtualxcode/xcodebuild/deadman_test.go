package xcodebuild

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAgentEndsWithoutAClient: an agent whose owner was killed must end.
func TestAgentEndsWithoutAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := newWatch(deadMan)
		w.enter()
		time.Sleep(3 * deadMan) // a client that thinks for long is no reason to leave
		select {
		case <-w.alone:
			t.Fatal("left although a client was there")
		default:
		}
		w.leave()
		<-w.alone
		if took := time.Since(start); took != 4*deadMan {
			t.Errorf("left after %s", took)
		}
	})
}
