package system

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
	"ios-agent/internal/text/parse"
)

// parser parses the output of other tools. It needs neither a device nor the daemon.
type parser struct{ kinds parse.Kinds }

// NewParser makes the operation that parses output of other tools.
func NewParser(kinds parse.Kinds) *parser { return &parser{kinds} }

// Ops lists the parse operation.
func (p *parser) Ops() []op.Op {
	help := "It detects the kind from the content. It keeps and reports lines that it cannot parse.\nThe kinds:"
	for _, k := range p.kinds {
		help += "\n  " + k.Name + ": " + k.Summary
	}
	return []op.Op{
		op.New(op.Spec{
			Name: "parse", Groups: []string{"system"}, Route: "POST /api/v1/parse",
			Summary: "Parse the output of another tool, from a file or stdin",
			Help:    help, Hints: op.ReadOnly | op.Idempotent, Offline: true, Timeout: time.Minute,
			Require: [][]string{{"file", "text"}}, Exclude: [][]string{{"file", "text"}},
			Examples: []string{"parse build.log", "parse tree.json", "parse --kind ui-tree --json source.xml"},
		}, p.parse),
	}
}

// parseIn names the input to parse.
type parseIn struct {
	File  op.Path `json:"file,omitempty" doc:"the file; - is stdin on a command line" cli:"arg" dash:"stdin"`
	Text  string  `json:"text,omitempty" doc:"the output itself, instead of a file" cli:"-"`
	Kind  string  `json:"kind,omitempty" doc:"kind; default: detected"`
	Lines int     `json:"lines,omitempty" doc:"maximum lines of text; 0: no limit, also in the JSON" default:"400" min:"0" more:"true"`
}

// parseOut is the parsed output.
type parseOut struct {
	Kind  string          `json:"kind"`
	Bytes int             `json:"bytes"`
	Data  json.RawMessage `json:"data"`

	text string `lines:"ours"`
}

// Text is the parsed output, for people.
func (o parseOut) Text() string { return o.text }

func (p *parser) parse(_ context.Context, c *op.Call, in parseIn) (parseOut, error) {
	input, err := in.read(c)
	if err != nil {
		return parseOut{}, err
	}
	kind, err := p.kinds.Find(in.Kind, input)
	if err != nil {
		return parseOut{}, err
	}
	result, err := kind.Read(input)
	if err != nil {
		return parseOut{}, fault.From(err).With("kind", kind.Name)
	}
	data, err := json.Marshal(result.Value())
	if err != nil {
		return parseOut{}, fault.New(fault.Internal, "cannot encode the result: %w", err)
	}
	return parseOut{Kind: kind.Name, Bytes: len(input), Data: data, text: result.Text(in.Lines)}, nil
}

func (in parseIn) read(c *op.Call) ([]byte, error) {
	var from io.Reader
	switch {
	case in.File == "":
		from = strings.NewReader(in.Text)
	case in.File == op.Dash && c.Stdin == nil:
		return nil, fault.New(fault.InvalidInput, "this call has no stdin").
			WithHint("pass an absolute path as file, or the output itself as text")
	case in.File == op.Dash:
		from = c.Stdin
	default:
		return parse.File(string(in.File))
	}
	return parse.Stream(from)
}
