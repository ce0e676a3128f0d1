package host

import "bytes"

const maxLine = 16 << 20

// lineSplitter puts one stream of a program into a buffer and passes it to OnLine line by line.
type lineSplitter struct {
	keep *boundedBuffer
	line func([]byte) // nil without OnLine
	part []byte       // a line whose end has not come yet
}

func (f *lineSplitter) take(b []byte) {
	f.keep.add(b)
	if f.line == nil {
		return
	}
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		f.emit(b[:i])
		b = b[i+1:]
	}
	f.part = append(f.part, b...)
	if len(f.part) >= maxLine {
		f.emit(nil)
	}
}

// emit delivers the pending part, with the end of its line.
func (f *lineSplitter) emit(end []byte) {
	if len(f.part) == 0 {
		f.line(bytes.TrimSuffix(end, []byte("\r")))
		return
	}
	f.part = append(f.part, end...)
	f.line(bytes.TrimSuffix(f.part, []byte("\r")))
	f.part = f.part[:0]
}

func (f *lineSplitter) flush() {
	if len(f.part) > 0 {
		f.emit(nil)
	}
}
