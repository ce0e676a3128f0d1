package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"ios-agent/internal/virtualxcode/urlsession"
)

// asked is a line from the service to the process that sends a request, and told is the answer.
type asked struct {
	ID      int                `json:"id"`
	Program string             `json:"program"` // of the app that sends it
	Request urlsession.Request `json:"request"`
	Cancel  bool               `json:"cancel,omitempty"`
}

type told struct {
	ID       int                 `json:"id"`
	Response urlsession.Response `json:"response"`
	Code     urlsession.Code     `json:"code,omitempty"` // zero means a response
}

// lines writes JSON values, one per line, from any goroutine.
type lines struct {
	mu  sync.Mutex
	out io.Writer
}

func (l *lines) write(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.raw(raw)
}

func (l *lines) raw(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(line, '\n'))
	return err
}

// Send is the process of an app: it sends the requests from in and writes the answers to out, until in ends.
func Send(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var (
		mu      sync.Mutex
		running = map[int]context.CancelFunc{}
		wg      sync.WaitGroup
	)
	answers := &lines{out: out}
	defer wg.Wait()
	defer cancel()
	for read := json.NewDecoder(in); ; {
		var q asked
		if err := read.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		mu.Lock()
		if q.Cancel {
			if stop := running[q.ID]; stop != nil {
				stop()
			}
			mu.Unlock()
			continue
		}
		one, stop := context.WithCancel(ctx)
		running[q.ID] = stop
		mu.Unlock()
		wg.Go(func() {
			defer stop()
			a := told{ID: q.ID}
			response, err := Web{}.Fetch(one, q.Request)
			if a.Response = response; err != nil {
				a.Code = codeOf(err)
			}
			mu.Lock()
			delete(running, q.ID)
			mu.Unlock()
			_ = answers.write(a) // without a reader in has ended too
		})
	}
}

func codeOf(err error) urlsession.Code {
	if known, ok := errors.AsType[*urlsession.Error](err); ok {
		return known.Code
	}
	return urlsession.ConnectionLost
}
