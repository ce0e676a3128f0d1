package network

import (
	"context"
	"fmt"
	"path/filepath"

	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
)

// mapOp is an operation of its own, because it names files and servers: proxy mock runs without a question, and must not take them.
func (n *Network) mapOp() op.Op {
	s := networkSpec("proxy_map", "map", "POST mocks/map",
		"Answer requests from a HAR file, a local folder or file, or another server (map local, map remote)", 0,
		"proxy map --har recorded.har", `proxy map "GET /api" --folder fixtures`, `proxy map "GET /config.json" --file config.json`,
		`proxy map "~d api.example.com" --to https://staging.example.com`)
	s.Require = [][]string{{"har", "folder", "file", "to"}, {"pattern", "har"}}
	s.Exclude = [][]string{{"har", "folder", "file", "to"}, {"missing", "file"}, {"missing", "to"}}
	s.Help = "A HAR answers a request of the same method, URL and body as it was answered when it was recorded. In a folder the path of\n" +
		"the URL names the file. Another server gets the request with its path, query, headers and body, and its own Host.\n" +
		"The rule is one of the mocks: `ios-agent proxy mocks` shows how often it answered, `ios-agent proxy unmock ID` removes it."
	s.Next = []string{"proxy_mocks"}
	return op.New(s, n.Map)
}

// MapIn says which requests are answered from where.
type MapIn struct {
	Pattern string     `json:"pattern,omitempty" doc:"which requests: POST /order, or a filter expression; with a HAR, all" cli:"arg"`
	HAR     op.Path    `json:"har,omitempty" doc:"HAR file whose recorded answers are given again"`
	Folder  op.Path    `json:"folder,omitempty" doc:"folder; the path of the URL names the file in it"`
	File    op.Path    `json:"file,omitempty" doc:"file that is the body of each answer"`
	To      op.Address `json:"to,omitempty" doc:"URL of another server, whose path comes before the request's"`
	Missing string     `json:"missing,omitempty" doc:"for requests that HAR or folder have nothing for" enum:"pass,abort" default:"pass"`
	Times   int        `json:"times,omitempty" doc:"so often; then the next rule, or the server, answers" min:"1" max:"1000000"`
	ID      string     `json:"id,omitempty" doc:"a rule to replace, instead of a new one"`
}

// rule is the mock that does it.
func (in MapIn) rule() (mock.Rule, error) {
	pattern := in.Pattern
	if pattern == "" {
		pattern = "~http"
	}
	p, err := CheckPattern(pattern)
	if err != nil {
		return mock.Rule{}, err
	}
	r := mock.Rule{ID: mock.NewID(), Pattern: p.String(), Times: in.Times, Response: mock.Response{Source: mock.Source{
		Archive: string(in.HAR), Tree: string(in.Folder), Remote: string(in.To),
	}}}
	if in.Missing == string(mock.Abort) {
		r.Response.Missing = mock.Abort
	}
	if in.File != "" {
		r.Response.Folder, r.Response.BodyFile = filepath.Split(filepath.Clean(string(in.File)))
	}
	return r, mock.Check(r)
}

// Map makes a rule that answers from a file or another server.
func (n *Network) Map(ctx context.Context, c *op.Call, in MapIn) (MockOut, error) {
	r, err := in.rule()
	if err != nil {
		return MockOut{}, err
	}
	answers, err := mock.Try(r)
	if err != nil {
		return MockOut{}, err
	}
	err = n.d.Services.Proxy.Set(ctx, func(s *proxy.Settings) error {
		if in.ID != "" {
			if r.ID = in.ID; !s.Has(r.ID) {
				return noMock(r.ID)
			}
		}
		return s.Put(r, c.Session)
	})
	out := mockOut(r, nil)
	out.Answers = answers
	if p, wrong := CheckPattern(r.Pattern); err == nil && wrong == nil {
		out.Fits = n.fits(ctx, p)
	}
	return out, err
}

// sourceOf says where the answers of a rule come from, if not from the rule.
func sourceOf(r mock.Response) string {
	switch {
	case r.Archive != "":
		return "the HAR " + r.Archive
	case r.Tree != "":
		return "the folder " + r.Tree
	case r.Remote != "":
		return withoutPassword(r.Remote)
	}
	return ""
}

// recorded says how many answers a HAR has.
func (o MockOut) recorded() string {
	if o.Answers == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", brief.Count(o.Answers, "answer"))
}
