package house_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/text/words"
	"ios-agent/test/drivertest"
	"ios-agent/test/house"
)

// The bodies of the request whose parts are exported, and what the server of newWire answers.
const (
	sentBody     = `{"a":"b\nnext: c"}`
	answeredBody = `POST /order "{\"a\":\"b\\nnext: c\"}"`
)

// formats read a document to its last byte: nothing of ours may stand in it. A format that is not here fails the test.
var formats = map[string]func([]byte) error{
	"text": func(b []byte) error {
		return wanted(len(b) > 0 && !bytes.ContainsFunc(bytes.TrimRight(b, "\n"), unprintable), "a text")
	},
	"json": oneJSON,
	"sarif": func(b []byte) error {
		var doc struct {
			Version string
			Runs    []struct {
				Tool struct{ Driver struct{ Name string } }
			}
		}
		err := errors.Join(oneJSON(b), json.Unmarshal(b, &doc))
		return errors.Join(err, wanted(doc.Version == "2.1.0" && len(doc.Runs) == 1, "SARIF 2.1.0 with a run"))
	},
	"har": func(b []byte) error {
		var doc struct {
			Log struct {
				Version string
				Entries []json.RawMessage
			}
		}
		err := errors.Join(oneJSON(b), json.Unmarshal(b, &doc))
		return errors.Join(err, wanted(doc.Log.Version == "1.2" && len(doc.Log.Entries) == 1, "HAR 1.2 with an entry"))
	},
	"curl": func(b []byte) error {
		split, whole := words.Split(strings.TrimSuffix(string(b), "\n"))
		return wanted(whole && len(split) > 1 && split[0] == "curl" && slices.Contains(split, sentBody), "one command of curl")
	},
	"request":  func(b []byte) error { return wanted(string(b) == sentBody, sentBody) },
	"response": func(b []byte) error { return wanted(string(b) == answeredBody, answeredBody) },
	"png": func(b []byte) error {
		r := bytes.NewReader(b)
		_, err := png.Decode(r)
		return errors.Join(err, wanted(r.Len() == 0, "nothing after the picture"))
	},
	"jpeg": func(b []byte) error {
		_, err := jpeg.Decode(bytes.NewReader(b))
		return errors.Join(err, wanted(bytes.HasSuffix(b, []byte{0xff, 0xd9}), "nothing after the picture"))
	},
	"cer": func(b []byte) error { _, err := x509.ParseCertificate(b); return err },
	"pem": func(b []byte) error {
		block, rest := pem.Decode(b)
		return wanted(block != nil && block.Type == "CERTIFICATE" && len(rest) == 0, "one certificate")
	},
	"base64": func(b []byte) error { _, err := jpeg.Decode(bytes.NewReader(b)); return err }, // XcodeBuildMCP's pictures are JPEG
	"path":   oneJSON,                                                                        // the answer names the file
	"ndjson": func(b []byte) error {
		lines := slices.Collect(bytes.Lines(b))
		for _, line := range lines {
			if err := oneJSON(line); err != nil {
				return err
			}
		}
		return wanted(len(lines) > 0 && bytes.HasSuffix(b, []byte("}\n")) && b[0] == '{', "objects, each on its own line")
	},
}

// onlyFormat is the format of operations that write a file to stdout and have no choice of formats; empty: bytes of others, as they are.
var onlyFormat = map[string]string{"export_logs": "ndjson", "debug_session": ""}

func wanted(is bool, want string) error {
	if is {
		return nil
	}
	return fmt.Errorf("want %s", want)
}

func unprintable(r rune) bool { return r != '\n' && dangerous(r) }

// oneJSON wants one JSON document, and nothing before or after it.
func oneJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	var doc any
	if err := d.Decode(&doc); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("more after the document: %v", err)
	}
	return nil
}

// isFormat reports whether an input chooses a format: by its name, or by values that only formats are called.
func isFormat(f op.Field) bool {
	known := []string{"json", "sarif", "har", "png", "jpeg", "pem", "csv", "xml", "junit", "yaml", "ndjson", "jsonl", "lcov"}
	return len(f.Enum) > 0 && (strings.Contains(strings.ToLower(f.Name), "format") ||
		slices.ContainsFunc(f.Enum, func(value string) bool { return slices.Contains(known, value) }))
}

// written is a format that an operation writes, and the input that chooses it.
type written struct {
	format string
	input  map[string]any
}

// writtenFormats are the formats that an operation writes: those that an input chooses, or the only one of its file.
func writtenFormats(o op.Op) (all []written) {
	toStdout := false
	for _, f := range o.Fields() {
		toStdout = toStdout || f.Stdout
		if isFormat(f) {
			for _, one := range f.Enum {
				all = append(all, written{one, map[string]any{f.Name: one}})
			}
		}
	}
	if only, known := onlyFormat[o.Name]; len(all) == 0 && toStdout && (only != "" || !known) {
		all = []written{{only, nil}}
	}
	return all
}

// TestEveryOutputFormatIsValid has every operation that knows formats write each of them where programs read it: to stdout, as the
// body of an answer over HTTP, or beside the text over MCP. A new operation, and a new format, is tried too.
func TestEveryOutputFormatIsValid(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	w.Boot("a", drivertest.Conformance)
	w.Must("a", "proxy_start", nil)
	w.send("POST", "/order", sentBody)
	files, tried := w.Files(), 0
	for _, o := range w.Product.Catalogue.Ops() {
		for _, chosen := range writtenFormats(o) {
			input := files.Example(o, w.Product.Catalogue.ID(o))
			maps.Copy(input, chosen.input)
			read := formats[chosen.format]
			if read == nil {
				t.Errorf("%s: no reader of the format %q is known: add one to formats, or the operation to onlyFormat", o.FullName(), chosen.format)
				continue
			}
			for where, got := range w.documents(o, input) {
				tried++
				if err := read(got); err != nil {
					t.Errorf("%s, %v on %s: %v; got\n%.300q", o.FullName(), chosen, where, err, got)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("got %d documents, want 20: the formats were not found", tried)
	}
}

// documents are what an operation writes in the chosen format, by where it stands.
func (w *wire) documents(o op.Op, input map[string]any) map[string][]byte {
	w.t.Helper()
	all := w.printed(o, input)
	if o.Download || o.Picture {
		all["REST"] = w.body(o, input)
	}
	if len(all) == 0 {
		for i, data := range w.pictures(o, input) {
			all[fmt.Sprint("MCP, picture ", i)] = data
		}
	}
	if len(all) == 0 {
		all["stdout, --raw"] = w.stdout(o, input, "--raw")
	}
	return all
}

// printed are the documents that a command line prints: the answer, where that is one, and the file, where stdout is given for it.
func (w *wire) printed(o op.Op, input map[string]any) map[string][]byte {
	w.t.Helper()
	all, input, file := map[string][]byte{}, maps.Clone(input), ""
	for _, f := range o.Fields() {
		if f.Name == "flow" { // one request is what all formats can be of
			input[f.Name] = "latest"
		}
		if f.Stdout {
			file = f.Name
		}
	}
	if file == "" {
		return all
	}
	delete(input, "force")
	if delete(input, file); o.Out().Implements(reflect.TypeFor[op.Documenter]()) {
		all["stdout"] = w.stdout(o, input)
	}
	input[file] = string(op.Dash)
	all["stdout, given -"] = w.stdout(o, input)
	return all
}

// stdout is what a command line prints for an operation that succeeds.
func (w *wire) stdout(o op.Op, input map[string]any, flags ...string) []byte {
	w.t.Helper()
	ran := w.CLI("a", append(flags, "call", w.Product.Catalogue.ID(o), string(jsonOf(w.t, input)))...)
	if ran.Exit != 0 {
		w.t.Errorf("%s %v: exit %d: %s", o.FullName(), input, ran.Exit, ran.Stderr)
	}
	return []byte(ran.Stdout)
}

// body is what HTTP answers.
func (w *wire) body(o op.Op, input map[string]any) []byte {
	w.t.Helper()
	path, query, body := concrete(o.Path()), url.Values{}, any(input)
	if o.Method() == http.MethodGet {
		for name, v := range input {
			query.Set(name, fmt.Sprint(v))
		}
		path, body = path+"?"+query.Encode(), nil
	}
	got := w.REST("a", o.Method(), path, body)
	if got.Code != http.StatusOK {
		w.t.Errorf("%s %s: got %d %s", o.Method(), path, got.Code, got.Body)
	}
	return got.Body.Bytes()
}

// pictures are those that an MCP client gets.
func (w *wire) pictures(o op.Op, input map[string]any) (all [][]byte) {
	w.t.Helper()
	res, err := w.Tool("a", toolName(w.House, o), input)
	if err != nil {
		w.t.Errorf("%s: %v", o.FullName(), err)
		return nil
	}
	for _, part := range res.Content {
		if p, is := part.(*sdk.ImageContent); is {
			all = append(all, p.Data)
		}
	}
	return all
}

// TestDashAsFileKeepsStdoutForDocument: where nothing can be written, stdout is empty; where --json wants stdout too, the call is
// refused. No file stays, of that name or in the temporary folder.
func TestDashAsFileKeepsStdoutForDocument(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	h := house.New(t)
	h.Boot("a", drivertest.Conformance)
	if ran := h.CLI("a", "screenshot", "--out", "-"); ran.Exit != 0 || formats["png"]([]byte(ran.Stdout)) != nil ||
		!strings.Contains("\n"+ran.Stderr, "\nsaved stdout (") { // after a line of progress, if the machine is busy
		t.Errorf("got exit %d, %d bytes and %q, want a picture and where it is", ran.Exit, len(ran.Stdout), ran.Stderr)
	}
	for _, c := range []struct{ want, line string }{
		{string(fault.InvalidInput), "screenshot --out - --raw"}, {string(fault.FlowNotFound), "proxy export - --flow f_000000000000"},
	} {
		if ran := h.CLI("a", strings.Fields(c.line)...); ran.Exit == 0 || ran.Stdout != "" || !strings.HasPrefix(ran.Stderr, c.want) {
			t.Errorf("%s: got %+v, want %s on stderr", c.line, ran, c.want)
		}
	}
	for _, pattern := range []string{filepath.Join(temp, "ios-agent-*"), filepath.Join(h.Home.String(), "-"), "-"} {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			t.Errorf("got %q, %v, want no file left", found, err)
		}
	}
}

// TestRawAndJSONPrintOneDocument calls each operation with --raw and --json, with notices, and failing: stdout has one JSON
// document, or a stream's items, and all else is on stderr.
func TestRawAndJSONPrintOneDocument(t *testing.T) {
	t.Parallel()
	notice := op.Notice{Kind: op.Chosen, Text: "iPhone 16"}
	for _, fails := range []error{nil, fault.New(fault.AppNotFound, "there is no app").WithHint("install it")} {
		var ops []op.Op
		for _, o := range product.Catalogue().Ops() {
			value := (&planter{text: hostileText}).value(o.Out()).Interface()
			if o.Streams() {
				ops = append(ops, streaming(o, value))
				continue
			}
			ops = append(ops, answering(o, value, fails, notice))
		}
		c := op.NewCatalogue(ops, op.Options{Toolchain: "virtual", Mark: " [virtual]"})
		for _, o := range ops {
			for _, flag := range []string{"--raw", "--json"} {
				stdout, stderr := commandLine(t, c, "call", flag, c.ID(o))
				printed := strings.SplitAfter(strings.TrimSuffix(stdout, "\n"), "\n")
				switch {
				case o.Streams() && len(printed) != 2 || !o.Streams() && len(printed) != 1:
					t.Errorf("%s %s: got %d lines, want a line for each document:\n%.300s", o.FullName(), flag, len(printed), stdout)
				case fails != nil && flag == "--raw" && !o.Streams():
					if stdout != "" || !strings.Contains(stderr, "there is no app") {
						t.Errorf("%s %s: got %q and %q, want the fault on stderr only", o.FullName(), flag, stdout, stderr)
					}
					continue
				}
				for _, line := range printed {
					if err := oneJSON([]byte(line)); err != nil {
						t.Errorf("%s %s: %v in %.300q", o.FullName(), flag, err, line)
					}
				}
			}
		}
	}
}

// streaming is a stream under the name of another one, of two items.
func streaming(o op.Op, item any) op.Op {
	s := op.Spec{Name: o.Name, Family: o.Family, Groups: o.Groups, Summary: o.Summary, Verb: op.None, Route: op.None}
	return op.NewLive[op.Nothing, any](s,
		func(_ context.Context, _ *op.Call, _ op.Nothing, emit func(any) error) error {
			return errors.Join(emit(item), emit(item))
		})
}
