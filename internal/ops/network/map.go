package network

import (
	"context"
	"fmt"
	"path/filepath"

	"ios-agent/internal/hint"
	"ios-agent/internal/network/mock"
	"ios-agent/internal/network/proxy"
	"ios-agent/internal/op"
	"ios-agent/internal/text/brief"
)

// mapOp is separate from proxy_mock, because it takes files and servers, which need approval: proxy_mock runs without.
func (n *Network) mapOp() op.Op {
	s := networkSpec("proxy_map", "map", "POST mocks/map",
		"Answer requests from a HAR, folder, file or server (map local/remote)", 0,
		"proxy map --har recorded.har", `proxy map "GET /api" --folder fixtures`, `proxy map "GET /config.json" --file config.json`,
		`proxy map "~d api.example.com" --to https://staging.example.com`)
	s.Require = [][]string{{"har", "folder", "file", "to"}, {"pattern", "har"}}
	s.Exclude = [][]string{{"har", "folder", "file", "to"}, {"missing", "file"}, {"missing", "to"}}
	s.Help = "A HAR gives the recorded response to requests with the same method, URL and body. In a folder the path of the URL names the\n" +
		"file. Another server gets the request with its path, query, headers and body, and its own Host. The rule is a mock:\n" +
		hint.Do("proxy_mocks") + " shows how often it answered, " + hint.Do("proxy_unmock", "id", "ID") + " removes it."
	s.Next = []string{"proxy_mocks"}
	return op.New(s, n.Map)
}

// MapIn is a pattern and the source of the responses.
type MapIn struct {
	Pattern string     `json:"pattern,omitempty" doc:"POST /order, or a filter expression; default with a HAR: all" cli:"arg"`
	HAR     op.Path    `json:"har,omitempty" doc:"HAR file with recorded responses"`
	Folder  op.Path    `json:"folder,omitempty" doc:"folder; the URL's path names the file"`
	File    op.Path    `json:"file,omitempty" doc:"file with the body of each response"`
	To      op.Address `json:"to,omitempty" doc:"URL of another server; its path is a prefix"`
	Missing string     `json:"missing,omitempty" doc:"for requests that the HAR or folder lacks" enum:"pass,abort" default:"pass"`
	Times   int        `json:"times,omitempty" doc:"number of responses; then the next rule or the server" min:"1" max:"1000000"`
	ID      string     `json:"id,omitempty" doc:"rule to replace; default: a new one"`
}

// rule is the mock for these inputs.
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

// Map makes a mock that responds from a file or another server.
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

// sourceOf is the source of a rule's responses, if that is not the rule itself.
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

// recorded is the number of responses in a HAR.
func (o MockOut) recorded() string {
	if o.Answers == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", brief.Count(o.Answers, "response"))
}
