package device

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"ios-agent/internal/ui"
)

// Digest identifies a look at an app by the content of its trees, frames included. Two different looks have different digests. Cover is
// a window over the app.
func Digest(app, cover string, roots ...*ui.Node) string {
	h := sha256.New()
	digestText(h, app)
	digestText(h, cover)
	for _, root := range roots {
		digestNode(h, root)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func digestNode(h hash.Hash, n *ui.Node) {
	for _, s := range []string{n.Type, n.Identifier, n.Label, n.Value, n.Placeholder} {
		digestText(h, s)
	}
	var b [8]byte
	for _, side := range []float64{n.Frame.X, n.Frame.Y, n.Frame.W, n.Frame.H} {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(side))
		h.Write(b[:])
	}
	flags := byte(0)
	for i, yes := range []bool{n.Disabled, n.Selected, n.Hidden, n.Secure, n.Focused} {
		if yes {
			flags |= 1 << i
		}
	}
	h.Write([]byte{flags})
	binary.LittleEndian.PutUint64(b[:], uint64(len(n.Children)))
	h.Write(b[:])
	for _, c := range n.Children {
		digestNode(h, c)
	}
}

func digestText(h hash.Hash, s string) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(s)))
	h.Write(b[:])
	h.Write([]byte(s))
}
