package builder

import (
	"bufio"
	"strings"

	"ios-agent/internal/apple/buildlog"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/text/brief"
)

// sources reads source lines for diagnostics that the compiler printed without one.
type sources struct{ read int }

const (
	mostSources  = 20       // maximum number of files for one answer
	mostSource   = 16 << 20 // maximum number of bytes to read of a file
	sourceColumn = 160      // maximum length of a shown line
)

// complete gives a diagnostic its source line, with a mark below the column.
func (s *sources) complete(d *buildlog.Diagnostic) {
	if len(d.Excerpt) > 0 || d.File == "" || d.Line == 0 || s.read >= mostSources {
		return
	}
	s.read++
	line, ok := sourceLine(d.File, d.Line)
	if !ok {
		return
	}
	d.Excerpt = []string{brief.Clip(line, sourceColumn)}
	if d.Column > 0 && d.Column <= len(line) && d.Column <= sourceColumn {
		d.Excerpt = append(d.Excerpt, blanks(line[:d.Column-1])+"^")
	}
}

// blanks is as wide as the text: tabs stay, so that the mark stands right.
func blanks(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

func sourceLine(path string, number int) (string, bool) {
	f, err := regularfile.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for read := 0; scan.Scan() && read < mostSource; read += len(scan.Bytes()) {
		if number--; number == 0 {
			return strings.TrimRight(scan.Text(), "\r"), true
		}
	}
	return "", false
}
