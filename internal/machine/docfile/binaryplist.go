package docfile

import "encoding/binary"

// binaryPlist walks through a binary property list and counts its values. The decoder decodes a container again for every reference to it,
// so a small file can mean very many values.
type binaryPlist struct {
	raw       []byte
	table     uint64 // where the offsets are
	objects   uint64
	size, ref int // bytes of an offset, and of a reference
	left      int
}

const trailer = 32

// checkBinary refuses a list that is nested too deep or has too many values. It accepts malformed lists, which the decoder refuses.
func checkBinary(raw []byte) error {
	if len(raw) < 8+trailer {
		return errPlist
	}
	end := raw[len(raw)-trailer:]
	b := &binaryPlist{
		raw: raw[:len(raw)-trailer], size: int(end[6]), ref: int(end[7]), left: maxNodes,
		objects: binary.BigEndian.Uint64(end[8:]), table: binary.BigEndian.Uint64(end[24:]),
	}
	if b.size == 0 || b.size > 8 || b.ref == 0 || b.ref > 8 || b.objects > uint64(len(raw)) || b.table > uint64(len(raw)) {
		return errPlist
	}
	return b.walk(binary.BigEndian.Uint64(end[16:]), 0)
}

func (b *binaryPlist) walk(object uint64, depth int) error {
	if b.left--; b.left < 0 || depth > maxDepth {
		return errMuch
	}
	at, ok := b.number(b.table+object*uint64(b.size), b.size)
	if !ok || object >= b.objects || at >= uint64(len(b.raw)) {
		return errPlist
	}
	kind, count := b.raw[at]>>4, uint64(b.raw[at]&0xf)
	if kind < 0xa { // a value that contains no other values
		return nil
	}
	at++
	if count == 0xf { // the count follows as an integer
		if at >= uint64(len(b.raw)) || b.raw[at]>>4 != 1 || b.raw[at]&0xf > 3 {
			return errPlist
		}
		n := 1 << (b.raw[at] & 0xf)
		if count, ok = b.number(at+1, n); !ok {
			return errPlist
		}
		at += uint64(1 + n)
	}
	if count > uint64(len(b.raw)) {
		return errPlist
	}
	if kind == 0xd {
		count *= 2 // keys, then values
	}
	for i := range count {
		next, ok := b.number(at+i*uint64(b.ref), b.ref)
		if !ok {
			return errPlist
		}
		if err := b.walk(next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// number reads an integer with the given number of bytes.
func (b *binaryPlist) number(at uint64, bytes int) (n uint64, ok bool) {
	if at > uint64(len(b.raw)) || uint64(len(b.raw))-at < uint64(bytes) {
		return 0, false
	}
	for _, c := range b.raw[at : at+uint64(bytes)] {
		n = n<<8 | uint64(c)
	}
	return n, true
}
