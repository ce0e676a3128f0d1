package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"ios-agent/internal/daemon"
	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/rest"
)

// api is the daemon's REST surface: no process is started between a call and its answer.
type api struct {
	client    http.Client
	catalogue *op.Catalogue // for the routes
	status    daemon.Status
	key       string
	session   string
}

func (l *lab) api(ctx context.Context) (*api, error) {
	out, err := l.host.Run(ctx, l.command("ios-agent", "daemon", "start", "--json"))
	if err != nil {
		return nil, err
	}
	var answer struct{ Result daemon.Status }
	if err := json.Unmarshal(out.Stdout, &answer); err != nil {
		return nil, err
	}
	key, err := os.ReadFile(answer.Result.KeyFile)
	return &api{
		client:    http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: readers + 1}},
		catalogue: product.Catalogue(), status: answer.Result, key: strings.TrimSpace(string(key)), session: "bench",
	}, err
}

// call calls an operation and wants it to succeed.
func (a *api) call(ctx context.Context, name, input string) error {
	_, err := a.ask(ctx, name, input)
	return err
}

// ask calls an operation and gives what it answered. A query may stand behind its name.
func (a *api) ask(ctx context.Context, name, input string) (answer []byte, err error) {
	name, query, _ := strings.Cut(name, "?")
	o, err := a.catalogue.Lookup(name)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, o.Method(), a.status.URL+o.Path()+"?"+query, strings.NewReader(input))
	if err != nil {
		return nil, err
	}
	r.Header.Set("X-API-Key", a.key)
	r.Header.Set(rest.SessionHeader, a.session)
	resp, err := a.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", name, resp.Status, bytes.TrimSpace(answer))
	}
	return answer, err
}
