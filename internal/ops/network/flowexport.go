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
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/network/capture"
	"ios-agent/internal/network/flow"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
	"ios-agent/internal/text/oneline"
)

// exportOp writes a file that the caller names, so it needs approval. It is a separate operation so that list_flows and show_flow need
// none.
func (n *Network) exportOp() op.Op {
	s := networkSpec("export_flows", "export", "POST flows/export",
		"Write requests to a file: HAR, curl or a body", 0,
		"proxy export all.har", "proxy export order.har --path /order --step last",
		"proxy export again.sh --format curl --flow latest", "proxy export answer.json --format response --flow f_0123456789ab")
	s.Help = "Browsers and many other tools read HAR. Passwords, tokens and cookies are <secret> in the file without " +
		hint.Field("reveal") + ".\nBodies are decoded, as far as they were stored."
	s.Exclude = [][]string{{"step", "since"}, {"step", "until"}, {"step", "app"}}
	s.Timeout = 5 * time.Minute
	return op.New(s, n.Export)
}

// ExportFlowsIn selects requests and names the file.
type ExportFlowsIn struct {
	Out    op.Path      `json:"out" doc:"file to write; - is stdout on a command line" cli:"arg" dash:"stdout"`
	Force  op.Overwrite `json:"force,omitempty" doc:"overwrite the file if it exists"`
	Format string       `json:"format,omitempty" doc:"curl and bodies: one request" enum:"har,curl,request,response" default:"har"`
	Flow   string       `json:"flow,omitempty" doc:"one request: id or latest"`
	Reveal bool         `json:"reveal,omitempty" doc:"include passwords, tokens and cookies"`
	Bare   bool         `json:"no_bodies,omitempty" doc:"HAR without bodies"`
	Hide   []string     `json:"hide,omitempty" doc:"more headers and fields to hide"`
	FlowFilter
	Step  string `json:"step,omitempty" doc:"only this step: s12 or last"`
	Limit int    `json:"limit,omitempty" doc:"maximum number, newest first" default:"1000" min:"1" max:"10000"`
}

// ExportFlowsOut is the written file.
type ExportFlowsOut struct {
	Path     string `json:"path"`
	Count    int    `json:"count"`
	Total    int    `json:"total"` // matching requests
	Bytes    int64  `json:"size_bytes"`
	Revealed bool   `json:"revealed,omitempty"`
	Short    int    `json:"cut_bodies,omitempty"` // number of bodies cut in the file
}

// Text is the file and its contents.
func (o ExportFlowsOut) Text() string {
	text := fmt.Sprintf("wrote %s to %s (%s)", brief.Count(o.Count, "request"), o.Path, brief.Count(int(o.Bytes), "byte"))
	if o.Count < o.Total {
		text += fmt.Sprintf("; the newest of %d, a higher %s writes more", o.Total, hint.Field("limit"))
	}
	if o.Short > 0 {
		text += fmt.Sprintf("; %d of the bodies are cut", o.Short)
	}
	if o.Revealed {
		text += "; it contains secrets: do not share it"
	}
	return text
}

// mostExport is the maximum size of a file. mostUnpacked is the maximum number of bytes of bodies to unpack for it: a response that is
// small on the wire may unpack to gigabytes, and each byte is searched for secrets.
const (
	mostExport   = 1 << 30
	mostUnpacked = int64(256 << 20)
)

// Export writes requests to a file.
func (n *Network) Export(ctx context.Context, c *op.Call, in ExportFlowsIn) (out ExportFlowsOut, err error) {
	if in.Format != "har" && in.Bare {
		return out, fault.New(fault.InvalidInput, "cannot write %s without bodies", in.Format).With("field", "no_bodies").
			WithHint("leave out %s, or %s", hint.Field("no_bodies"), hint.Field("format"))
	}
	if in.Format != "har" && in.Flow == "" {
		return out, fault.New(fault.InvalidInput, "the format %s needs one request", in.Format).With("field", "flow").
			WithHint("name it with %s; %s lists the requests", hint.Field("flow"), hint.Do("list_flows"))
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

// exported is the ids of the requests to write, the oldest first.
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

// cutBodies counts the cut bodies of a request.
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

// each reads the requests one after the other, with their bodies, and without secrets unless the call asks for them.
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

// one reads a request for an export. left is the number of bytes of bodies that the export may still read.
func (n *Network) one(ctx context.Context, id string, in ExportFlowsIn, left *int64, yield func(*flow.Flow) bool) (more bool, err error) {
	f, found, err := n.d.Services.Flows.Get(ctx, id)
	if err != nil || !found {
		return true, err // a request that the store deleted meanwhile is left out
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

// carried is the number of bytes of a request's bodies in memory.
func carried(f *flow.Flow) int64 {
	n := len(f.Request.Body.Content)
	if f.Response != nil {
		n += len(f.Response.Body.Content)
	}
	return int64(n)
}

// writtenAs is a request as a curl command, or one of its bodies.
func writtenAs(f *flow.Flow, format string) ([]byte, error) {
	body := f.Request.Body
	switch format {
	case "curl":
		text, err := curlOf(*f)
		return []byte(text + "\n"), err
	case "response":
		if f.Response == nil {
			return nil, fault.New(fault.FlowNotFound, "%s has no response", f.ID).
				WithHint("%s shows its result", hint.Do("show_flow", "flow_id", f.ID))
		}
		body = f.Response.Body
	}
	if body.Cut {
		return nil, bodyNotKept(f.ID)
	}
	return body.Content, nil
}

func bodyNotKept(id string) error {
	return fault.New(fault.InvalidInput, "a body of %s is too large and was cut", id).
		WithHint("%s shows the stored part", hint.Do("show_flow", "flow_id", id))
}

// curlOf is a curl command that repeats a request. It sends a coded body without its coding, because bodies are stored decoded.
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
		return "", fault.New(fault.InvalidInput, "cannot write %s as a curl command: %w", f.ID, wrong).
			WithHint("%s shows the request", hint.Do("show_flow", "flow_id", f.ID))
	}
	return text, err
}

// mostCurl is the maximum length of a command in an answer.
const mostCurl = 128 << 10

// shownCurl is the command for an answer: without secrets, and limited in length.
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
		return "", fault.New(fault.TooLarge, "the curl command of %s has %d bytes: too many for an answer", f.ID, len(text)).
			WithHint("write it to a file: %s", exportCurl(f.ID))
	}
	return text, err
}

// exportCurl is the call that writes the curl command of a request to a file.
func exportCurl(id string) string {
	return hint.Do("export_flows", "out", "FILE", "format", "curl", "flow", id)
}

// command is the command as a line to copy, or how to get it. The command has foreign text in it, so it is shown only if it is one plain
// line.
func (o ShowFlowOut) command() string {
	if o.Curl == oneline.Legible(o.Curl) && !strings.Contains(o.Curl, "\n") {
		return o.Curl
	}
	return "the curl command is not one plain line; write it to a file: " + exportCurl(o.ID)
}
