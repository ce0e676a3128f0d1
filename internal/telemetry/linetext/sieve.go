package linetext

import "math/bits"

// Sieve excludes texts and field values from a block. It has one bit for every three consecutive bytes of its folded messages, and for
// every value of its other fields. If a bit of a text is missing, the block does not contain the text.
type Sieve []byte

// sieveBits is the number of bits of the largest sieve.
const sieveBits = 1 << 16

func NewSieve() Sieve { return make(Sieve, sieveBits/8) }

func place(of uint32) uint32 { return of * 2654435761 >> 16 }

func (s Sieve) Set(at uint32) { s[at>>3] |= 1 << (at & 7) }

// Has reports whether a bit is set. In a smaller sieve, several bits of the large one share a place.
func (s Sieve) Has(at uint32) bool {
	at &= uint32(len(s)*8 - 1)
	return s[at>>3]&(1<<(at&7)) != 0
}

func (s Sieve) AddText(folded []byte) {
	if len(folded) < 3 {
		return
	}
	v := uint32(folded[0])<<8 | uint32(folded[1])
	for _, c := range folded[2:] {
		v = v<<8&0xffffff | uint32(c)
		s.Set(place(v))
	}
}

// Places are the bits of a text; none for a text that is too short.
func Places(folded string) (out []uint32) {
	for i := 0; i+3 <= len(folded); i++ {
		out = append(out, place(uint32(folded[i])<<16|uint32(folded[i+1])<<8|uint32(folded[i+2])))
	}
	return out
}

// FieldPlace is the bit of a field value.
func FieldPlace(field byte, value string) uint32 {
	h := uint32(2166136261)
	h = (h ^ uint32(field)) * 16777619
	for i := range len(value) {
		h = (h ^ uint32(value[i])) * 16777619
	}
	return place(h)
}

// Shrunk is the sieve in the smallest useful size: at most about a seventh of its bits are set.
func (s Sieve) Shrunk() Sieve {
	set := 0
	for _, b := range s {
		set += bits.OnesCount8(b)
	}
	for len(s) > 8 && set*7 < len(s)*8/2 {
		half := len(s) / 2
		for i := range half {
			s[i] |= s[half+i]
		}
		s = s[:half]
	}
	return s
}
