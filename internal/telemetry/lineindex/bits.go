// Package lineindex finds the lines of a block with a text or a field value, through index files beside the store. A Builder makes the
// record of a block, Files stores records, and a Reader asks them. The files only have derived data. An answer may be incomplete but is
// never wrong: each record names its block and has checksums of its parts, and a record that does not match is ignored.
package lineindex

import "math/bits"

// Most is the maximum number of lines of a block.
const Most = 512

// Bits is a set of lines of a block.
type Bits [Most / 64]uint64

// All is the set of the first n lines.
func All(n int) (b Bits) {
	for i := range b {
		if left := n - i*64; left >= 64 {
			b[i] = ^uint64(0)
		} else if left > 0 {
			b[i] = 1<<left - 1
		}
	}
	return b
}

func (b *Bits) Set(i int) { b[i>>6] |= 1 << (i & 63) }

func (b *Bits) Has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

func (b *Bits) Or(of Bits) {
	for i := range b {
		b[i] |= of[i]
	}
}

func (b *Bits) And(of Bits) {
	for i := range b {
		b[i] &= of[i]
	}
}

func (b *Bits) AndNot(of Bits) {
	for i := range b {
		b[i] &^= of[i]
	}
}

// Count is the number of lines.
func (b *Bits) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Append adds the indexes of the lines in ascending order.
func (b *Bits) Append(to []int) []int {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			to = append(to, i*64+bits.TrailingZeros64(w))
		}
	}
	return to
}
