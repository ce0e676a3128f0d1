package simctl

import (
	"encoding/binary"
	"time"
)

// movie is a QuickTime movie whose frames are PNG pictures; QuickTime plays it. H.264 would need an encoder, and a test only needs a
// playable movie.
type movie struct {
	width, height int
	frames        [][]byte
	length        time.Duration
}

// timescale is the number of time units per second.
const timescale = 600

// atom is a box of the file: its size, its type, its content.
func atom(kind string, parts ...[]byte) []byte {
	out := append(make([]byte, 4), kind...)
	for _, p := range parts {
		out = append(out, p...)
	}
	binary.BigEndian.PutUint32(out, uint32(len(out)))
	return out
}

// words are 32-bit numbers one after another.
func words(numbers ...int) (out []byte) {
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return out
}

// matrix is the identity transformation.
func matrix() []byte { return words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000) }

func (m movie) units() int { return max(1, int(m.length.Seconds()*timescale/float64(len(m.frames)))) }

func (m movie) encode() []byte {
	head := atom("ftyp", []byte("qt  "), words(0), []byte("qt  "))
	data := atom("mdat", m.frames...)
	total := m.units() * len(m.frames)
	mvhd := atom("mvhd", words(0, 0, 0, timescale, total, 0x10000, 0x1000000, 0, 0), matrix(), words(0, 0, 0, 0, 0, 0, 2))
	tkhd := atom("tkhd", words(0xF, 0, 0, 1, 0, total, 0, 0, 0, 0), matrix(), words(m.width<<16, m.height<<16))
	mdhd := atom("mdhd", words(0, 0, 0, timescale, total, 0))
	hdlr := atom("hdlr", words(0), []byte("mhlrvide"), words(0, 0, 0), []byte{0})
	vmhd := atom("vmhd", words(1, 0, 0))
	dinf := atom("dinf", atom("dref", words(0, 1), atom("url ", words(1))))
	media := atom("mdia", mdhd, hdlr, atom("minf", vmhd, dinf, m.samples(len(head)+8)))
	return append(append(head, data...), atom("moov", mvhd, atom("trak", tkhd, media))...)
}

// samples gives the positions and durations of the pictures; they begin at offset.
func (m movie) samples(offset int) []byte {
	size := []byte{byte(m.width >> 8), byte(m.width), byte(m.height >> 8), byte(m.height)}
	entry := atom("png ", words(0, 1, 0, 0, 0, 0), size, words(0x480000, 0x480000, 0), []byte{0, 1}, make([]byte, 32),
		[]byte{0, 24, 0xFF, 0xFF})
	sizes, offsets := []int{0, 0, len(m.frames)}, []int{0, len(m.frames)}
	for _, f := range m.frames {
		sizes, offsets = append(sizes, len(f)), append(offsets, offset)
		offset += len(f)
	}
	return atom("stbl",
		atom("stsd", words(0, 1), entry),
		atom("stts", words(0, 1, len(m.frames), m.units())),
		atom("stsc", words(0, 1, 1, 1, 1)),
		atom("stsz", words(sizes...)),
		atom("stco", words(offsets...)))
}
