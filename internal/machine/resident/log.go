package resident

import (
	"bytes"
	"io"
	"os"
)

const (
	tailBytes = 8 << 10
	tailLines = 20
)

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// logTail returns the last lines that were appended to a log since it had a size. A log that is shorter now was begun
// anew.
func logTail(path string, since int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	size := fileSize(path)
	if size < since {
		since = 0
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(since, size-tailBytes), tailBytes))
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimRight(b, "\n"), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-tailLines):], []byte("\n")))
}
