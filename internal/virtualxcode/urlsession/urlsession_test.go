package urlsession_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ios-agent/internal/virtualxcode/urlsession"
)

type sender func(context.Context) (urlsession.Response, error)

func (s sender) Fetch(ctx context.Context, _ urlsession.Request) (urlsession.Response, error) {
	return s(ctx)
}

func waits(ctx context.Context) (urlsession.Response, error) {
	<-ctx.Done()
	return urlsession.Response{}, ctx.Err()
}

func TestTaskReportsAnswerOrError(t *testing.T) {
	for name, c := range map[string]struct {
		send sender
		want urlsession.Answer
	}{
		"answer": {func(context.Context) (urlsession.Response, error) {
			return urlsession.Response{Status: 201, Body: "b"}, nil
		}, urlsession.Answer{Status: 201, Body: "b"}},
		"too long": {waits, urlsession.Failed(urlsession.TimedOut)},
		"its own error": {func(context.Context) (urlsession.Response, error) {
			return urlsession.Response{}, &urlsession.Error{Code: urlsession.NoHost}
		}, urlsession.Failed(urlsession.NoHost)},
		"another error": {func(context.Context) (urlsession.Response, error) { return urlsession.Response{}, errors.New("odd") },
			urlsession.Failed(urlsession.ConnectionLost)},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := urlsession.New(c.send, time.Now)
			defer s.Close()
			ended := make(chan struct{})
			task := s.Send(urlsession.Request{}, time.Minute, func() { close(ended) })
			<-ended
			<-task.Done()
			if got, _ := task.Answer(); got != c.want {
				t.Errorf("%s: %+v", name, got)
			}
		})
	}
}

func TestCloseEndsTasks(t *testing.T) {
	s := urlsession.New(sender(waits), time.Now)
	task := s.Send(urlsession.Request{}, time.Hour, func() {})
	s.Close()
	<-task.Done()
	if got, _ := task.Answer(); got != urlsession.Failed(urlsession.ConnectionLost) {
		t.Errorf("%+v", got)
	}
	if s.Offline() || !urlsession.New(nil, time.Now).Offline() {
		t.Error("a session is offline when nobody sends")
	}
}
