package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
)

// exportOp writes a file that the caller names, so it is not allowed without a question; list_flows and show_flow are, and stay so
// because it is an operation of its own.
func (n *Network) exportOp() op.Op {
	s := networkSpec("export_flows", "export", "POST flows/export",
		"Write requests to a file: as HAR, one as a curl command, or a body; secrets are hidden", 0,
		"proxy export all.har", "proxy export order.har --path /order --step last",
		"proxy export again.sh --format curl --flow latest", "proxy export answer.json --format response --flow f_0123456789ab")
	s.Help = "HAR is read by browsers and many other tools. Passwords, tokens and cookies are <secret> in the file unless `--reveal` is\n" +
		"given. Bodies are written decoded, as far as they were kept."
	s.Exclude = [][]string{{"step", "since"}, {"step", "until"}, {"step", "app"}}
	s.Timeout = 5 * time.Minute
	return op.New(s, n.Export)
}

// ExportFlowsIn says what to write, and where.
type ExportFlowsIn struct {
	Out    op.Path      `json:"out" doc:"file to write; - is stdout on a command line" cli:"arg" dash:"stdout"`
	Force  op.Overwrite `json:"force,omitempty" doc:"overwrite the file if it exists"`
	Format string       `json:"format,omitempty" doc:"curl and bodies are of one request" enum:"har,curl,request,response" default:"har"`
	Flow   string       `json:"flow,omitempty" doc:"only this one: its id, or latest"`
	Reveal bool         `json:"reveal,omitempty" doc:"with passwords, tokens and cookies as they were sent"`
	Bare   bool         `json:"no_bodies,omitempty" doc:"HAR without the bodies of requests and answers"`
	Hide   []string     `json:"hide,omitempty" doc:"more names of headers and fields whose values are hidden"`
	FlowFilter
	Step  string `json:"step,omitempty" doc:"only of this step of the session, such as s12, or last"`
	Limit int    `json:"limit,omitempty" doc:"at most so many, the newest" default:"1000" min:"1" max:"10000"`
}

// ExportFlowsOut is what was written.
type ExportFlowsOut struct {
	Path     string `json:"path"`
	Count    int    `json:"count"`
	Total    int    `json:"total"` // that fit
	Bytes    int64  `json:"size_bytes"`
	Revealed bool   `json:"revealed,omitempty"`
	Short    int    `json:"cut_bodies,omitempty"` // that are not whole in the file
}

// Text says where it is.
func (o ExportFlowsOut) Text() string {
	text := fmt.Sprintf("wrote %s to %s (%s)", brief.Count(o.Count, "request"), o.Path, brief.Count(int(o.Bytes), "byte"))
	if o.Count < o.Total {
		text += fmt.Sprintf("; the newest of %d, `--limit` takes more", o.Total)
	}
	if o.Short > 0 {
		text += fmt.Sprintf("; only the beginning of %d of the bodies is in it", o.Short)
	}
	if o.Revealed {
		text += "; secrets are in it as they were sent: do not pass it on"
	}
	return text
}

// mostExport is how large a file may become, and mostUnpacked how many bytes of bodies are read for it beyond those that flows carry
// themselves: answers that are small on the wire may unpack to gigabytes, and each byte is searched.
const (
	mostExport   = 1 << 30
	mostUnpacked = int64(256 << 20)
)

// Export writes flows to a file.
func (n *Network) Export(ctx context.Context, c *op.Call, in ExportFlowsIn) (out ExportFlowsOut, err error) {
	if in.Format != "har" && in.Bare {
		return out, fault.New(fault.InvalidInput, "%s without bodies is not written", in.Format).With("field", "no_bodies").
			WithHint("leave `--no-bodies` out, or `--format`")
	}
	if in.Format != "har" && in.Flow == "" {
		return out, fault.New(fault.InvalidInput, "%s is of one request: which?", in.Format).With("field", "flow").
			WithHint("name it with `--flow`; `ios-agent proxy flows` lists them")
	}
	ids, total, err := n.exported(ctx, c, in)
	if err != nil {
		return out, err
	}
	out = ExportFlowsOut{Path: string(in.Out), Total: total, Revealed: in.Reveal}
	to := outfile.File{Path: out.Path, Force: bool(in.Force)}
	out.Bytes, err = to.Fill(mostExport, func(w io.Writer) error {
		var failed error
		flows := n.each(ctx, ids, in, &failed)
		var err error
		if in.Format == "har" {
			err = flow.WriteHAR(w, func(yield func(*flow.Flow) bool) {
				for f := range flows {
					out.Count, out.Short = out.Count+1, out.Short+cutBodies(f, in.Bare)
					if !yield(f) {
						return
					}
				}
			}, flow.HAROptions{Version: n.d.Services.Version, NoBodies: in.Bare})
		} else {
			for f := range flows {
				var data []byte
				if data, err = writtenAs(f, in.Format); err == nil {
					out.Count++
					_, err = w.Write(data)
				}
			}
		}
		return errors.Join(failed, err)
	})
	return out, err
}

// exported are the ids of what is written, the oldest first.
func (n *Network) exported(ctx context.Context, c *op.Call, in ExportFlowsIn) (ids []string, total int, err error) {
	if in.Flow != "" {
		f, err := n.Get(ctx, in.Flow)
		return []string{f.ID}, 1, err
	}
	f, _, err := n.meant(ctx, c, in.FlowFilter, in.Step)
	if err != nil {
		return nil, 0, err
	}
	list, total, err := n.d.Services.Flows.List(ctx, f, capture.Page{Limit: in.Limit, Newest: true})
	for _, one := range slices.Backward(list) {
		ids = append(ids, one.ID)
	}
	return ids, total, err
}

// cutBodies counts the bodies of a flow that are not whole.
func cutBodies(f *flow.Flow, bare bool) (n int) {
	if bare {
		return 0
	}
	if f.Request.Body.Cut {
		n++
	}
	if f.Response != nil && f.Response.Body.Cut {
		n++
	}
	return n
}

// each reads one flow after the other, with its bodies, and without its secrets unless they are wanted.
func (n *Network) each(ctx context.Context, ids []string, in ExportFlowsIn, failed *error) iter.Seq[*flow.Flow] {
	return func(yield func(*flow.Flow) bool) {
		for left := cmp.Or(n.d.MostUnpacked, mostUnpacked); len(ids) > 0; ids = ids[1:] {
			more, err := n.one(ctx, ids[0], in, &left, yield)
			if err != nil {
				*failed = err
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// one reads a flow for an export. left is how many bytes of bodies may still be read for it.
func (n *Network) one(ctx context.Context, id string, in ExportFlowsIn, left *int64, yield func(*flow.Flow) bool) (more bool, err error) {
	f, found, err := n.d.Services.Flows.Get(ctx, id)
	if err != nil || !found {
		return true, err // what was removed meanwhile is left out: only so much is kept
	}
	if in.Bare {
		f.Request.Body.Content = nil
		if f.Response != nil {
			f.Response.Body.Content = nil
		}
	} else {
		before := carried(&f)
		done, err := n.d.Services.Flows.Fill(ctx, &f, *left)
		if err != nil {
			return false, err
		}
		defer done()
		*left -= carried(&f) - before
	}
	if !in.Reveal {
		f = flow.Redacted(f, flow.Names{Hide: in.Hide})
	}
	return yield(&f), nil
}

// carried is how many bytes of bodies a flow has with it.
func carried(f *flow.Flow) int64 {
	n := len(f.Request.Body.Content)
	if f.Response != nil {
		n += len(f.Response.Body.Content)
	}
	return int64(n)
}

// writtenAs is a flow as a command, or one of its bodies.
func writtenAs(f *flow.Flow, format string) ([]byte, error) {
	body := f.Request.Body
	switch format {
	case "curl":
		text, err := curlOf(*f)
		return []byte(text + "\n"), err
	case "response":
		if f.Response == nil {
			return nil, fault.New(fault.FlowNotFound, "%s has no answer", f.ID).
				WithHint("`ios-agent proxy show %s` tells what came of it", f.ID)
		}
		body = f.Response.Body
	}
	if body.Cut {
		return nil, bodyNotKept(f.ID)
	}
	return body.Content, nil
}

func bodyNotKept(id string) error {
	return fault.New(fault.InvalidInput, "only the beginning of a body of %s was kept, or it unpacks to too much", id).
		WithHint("`ios-agent proxy show %s` shows what was kept", id)
}

// curlOf is a command that sends the request of a flow. A body that was sent with a coding is sent without it: it is kept decoded.
func curlOf(f flow.Flow) (string, error) {
	if f.Request.Body.Cut {
		return "", bodyNotKept(f.ID)
	}
	if f.Request.Body.Coding != "" {
		f.Request.Header = slices.DeleteFunc(slices.Clone(f.Request.Header), func(one flow.Field) bool {
			return strings.EqualFold(one.Name, "Content-Encoding")
		})
	}
	text, err := flow.Curl(f, flow.CurlOptions{Body: f.Request.Body.Content})
	var wrong *flow.CurlError
	if errors.As(err, &wrong) {
		return "", fault.New(fault.InvalidInput, "%s is no command of curl: %w", f.ID, wrong).
			WithHint("`ios-agent proxy show %s` shows the request", f.ID)
	}
	return text, err
}

// mostCurl is how long a command may be in an answer.
const mostCurl = 128 << 10

// shownCurl is the command as an answer has it: without secrets, and not too long.
func (n *Network) shownCurl(ctx context.Context, f flow.Flow) (string, error) {
	if f.Response != nil {
		answer := *f.Response
		answer.Body = flow.Body{}
		f.Response = &answer
	}
	done, err := n.d.Services.Flows.Fill(ctx, &f, mostUnpacked)
	if err != nil {
		return "", err
	}
	defer done()
	text, err := curlOf(flow.Redacted(f, flow.Names{}))
	if err == nil && len(text) > mostCurl {
		return "", fault.New(fault.TooLarge, "the command of %s has %d bytes: too many for an answer", f.ID, len(text)).
			WithHint("write it to a file: `ios-agent proxy export FILE --format curl --flow %s`", f.ID)
	}
	return text, err
}

// command is the command as a line that can be copied, or how to get it. It has texts of others: what is not plain is not shown.
func (o ShowFlowOut) command() string {
	if o.Curl == oneline.Legible(o.Curl) && !strings.Contains(o.Curl, "\n") {
		return o.Curl
	}
	return "the command is not one plain line: `ios-agent proxy export FILE --format curl --flow " + o.ID + "` writes it to a file"
}
