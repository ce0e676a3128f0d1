package device

import "testing"

func TestLeftOutAddsKnownCounts(t *testing.T) {
	for _, c := range []struct{ here, there, want int }{{0, 0, 0}, {-1, 0, -1}, {0, -1, -1}, {-1, 7, 7}, {7, -1, 7}, {3, 4, 7}} {
		if got := LeftOut(c.here, c.there); got != c.want {
			t.Errorf("LeftOut(%d, %d): got %d, want %d", c.here, c.there, got, c.want)
		}
	}
}
