package logs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/telemetry"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
)

// exportOp writes a file that the caller names, so it needs approval, unlike reading lines.
func (l *Lines) exportOp() op.Op {
	return op.New(op.Spec{
		Name: "export_logs", Groups: []string{"logs"}, Verb: "logs export", Route: "POST /api/v1/logs/export", Timeout: 5 * time.Minute,
		Summary: "Write log lines to a file as NDJSON",
		Help: "It writes the lines of " + hint.Do("read_logs") + ", one JSON object each, the oldest first, without a limit; - writes to " +
			"stdout. A line\nin the place of missing lines says so.",
		Exclude: [][]string{{"after", "before"}, {"after", "step"}, {"all", "app"}, {"all", "step"}},
		Examples: []string{
			"logs export all.ndjson --all", "logs export - --level error --since 1h", "logs export checkout.ndjson --app Shop --step last",
		},
	}, l.export)
}

// exportLogsIn selects lines and names the file.
type exportLogsIn struct {
	Out   op.Path      `json:"out" doc:"file to write; - is stdout on a command line" cli:"arg" dash:"stdout"`
	Force op.Overwrite `json:"force,omitempty" doc:"overwrite the file if it exists"`
	whichIn
	betweenIn
}

// ExportLogsOut is the written file, with what is missing in it.
type ExportLogsOut struct {
	Path    string      `json:"path"`
	Count   int         `json:"count"` // number of lines
	Bytes   int64       `json:"size_bytes"`
	Step    string      `json:"step,omitempty"`
	App     string      `json:"bundle_id,omitempty"`
	Lost    int64       `json:"lost"`             // lines that the sources are known to have lost
	Oldest  *time.Time  `json:"oldest,omitempty"` // oldest stored line, if the call asked for older ones
	Sources []LogSource `json:"log_sources"`
	Note    string      `json:"note,omitempty"`

	of string // whose lines
}

// Text is the file, and what is missing in it.
func (o ExportLogsOut) Text() string {
	text := fmt.Sprintf("wrote %s of %s to %s (%s); %s", brief.Count(o.Count, "line"), oneline.Of(o.of), o.Path,
		brief.Count(int(o.Bytes), "byte"), LogsOut{Sources: o.Sources}.had())
	if o.Lost > 0 {
		text += fmt.Sprintf("; %s missing in all", brief.CountOf(int(o.Lost), "line is", "lines are"))
	}
	if o.Oldest != nil {
		text += "; lines older than " + o.Oldest.Format(time.RFC3339) + " are deleted"
	}
	if o.Note != "" {
		text += "\nnote: " + o.Note
	}
	return text
}

// mostExport is the maximum size of the file: larger than the export of a full store.
const mostExport = 8 << 30

func (l *Lines) export(ctx context.Context, c *op.Call, in exportLogsIn) (out ExportLogsOut, err error) {
	m, err := l.between(ctx, c, in.whichIn, in.betweenIn)
	if err != nil {
		return out, err
	}
	finer := l.d.finer(ctx, c, m.Query, in.Level, startFine(in.Level))
	if err := l.d.hear(ctx, c, m.Query.Device, m.Query.App); err != nil {
		return out, err
	}
	out = ExportLogsOut{Path: string(in.Out), Step: m.Step, App: m.Query.App, Note: finer, of: m.Of}
	to := outfile.File{Path: out.Path, Force: bool(in.Force)}
	out.Bytes, err = to.Fill(mostExport, func(w io.Writer) error {
		file := bufio.NewWriterSize(w, 64<<10)
		lines := json.NewEncoder(file) // ends each with a line feed
		lines.SetEscapeHTML(false)
		err := l.d.Store.Walk(ctx, m.Query, func(e telemetry.Entry) error {
			out.Count++
			return lines.Encode(logLine(e))
		})
		if err == nil && out.Count == 0 && m.Unknown != nil {
			return m.Unknown
		}
		if err != nil {
			return err
		}
		return file.Flush()
	})
	if err != nil {
		return out, err
	}
	out.Sources = l.sources(m)
	for _, s := range out.Sources {
		out.Lost += s.Lost
	}
	kept, _ := l.d.Store.Usage(ctx) // the file is complete, even if the usage is unknown
	if kept.Removed && m.Query.Since.Before(kept.Oldest) && m.Step == "" {
		out.Oldest = &kept.Oldest
	}
	if kept.Notice != "" {
		out.Note = strings.TrimPrefix(out.Note+"; "+kept.Notice, "; ")
	}
	return out, nil
}
