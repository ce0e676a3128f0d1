// Package lineindex says which lines of a block have a text or the value of a field, from files beside the store that hold nothing of
// their own. It may know less than there is and never says more: each record is tied to the block that it was made of and has sums
// of its parts, and what does not fit is not there.
package lineindex

import "math/bits"

// Most is how many lines a block has at most.
const Most = 512

// Bits are lines of a block.
type Bits [Most / 64]uint64

// All are the first n lines.
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

// Count is how many lines there are.
func (b *Bits) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Append adds the indexes of the lines, ascending.
func (b *Bits) Append(to []int) []int {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			to = append(to, i*64+bits.TrailingZeros64(w))
		}
	}
	return to
}
