package web_test

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"ios-agent/internal/virtualxcode/urlsession"
	"ios-agent/internal/virtualxcode/web"
)

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, r.Method+" "+r.Header.Get("X-Who")+" "+string(body))
}

func TestFetchSendsRequestAndReturnsAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	got, err := web.Web{}.Fetch(t.Context(), urlsession.Request{Method: "POST", URL: server.URL, Body: "tea",
		Headers: []urlsession.Header{{Name: "X-Who", Value: "ada"}}})
	if err != nil || got != (urlsession.Response{Status: 201, Type: "text/plain", Body: "POST ada tea"}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFetchUsesProxy(t *testing.T) {
	var seen string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.URL.String()
		io.WriteString(w, "from the proxy")
	}))
	defer proxy.Close()
	got, err := web.Web{}.Fetch(t.Context(), urlsession.Request{Method: "GET", URL: "http://shop.invalid/orders", Proxy: proxy.URL})
	if err != nil || got.Body != "from the proxy" || seen != "http://shop.invalid/orders" {
		t.Errorf("got %+v, %v, the proxy saw %q", got, err, seen)
	}
}

func TestFetchTrustsAddedRootCertificates(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(echo))
	server.Config.ErrorLog = nil
	defer server.Close()
	request := urlsession.Request{Method: "GET", URL: server.URL}
	if _, err := (web.Web{}).Fetch(t.Context(), request); code(err) != urlsession.NoTrust {
		t.Errorf("an unknown certificate gives %v", err)
	}
	der := server.Certificate().Raw
	for name, root := range map[string][]byte{"DER": der, "PEM": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})} {
		request.Roots = [][]byte{[]byte("no certificate"), root}
		if got, err := (web.Web{}).Fetch(t.Context(), request); err != nil || got.Status != 201 {
			t.Errorf("with the %s it gives %+v, %v", name, got, err)
		}
	}
}

func code(err error) urlsession.Code {
	if e, ok := errors.AsType[*urlsession.Error](err); ok {
		return e.Code
	}
	return 0
}

func TestFetchErrorsHaveURLSessionsCodes(t *testing.T) {
	gone := httptest.NewServer(http.HandlerFunc(echo))
	gone.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
	}))
	defer broken.Close()
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		request urlsession.Request
		want    urlsession.Code
	}{
		"no server":    {t.Context(), urlsession.Request{URL: gone.URL}, urlsession.NoConnection},
		"no proxy":     {t.Context(), urlsession.Request{URL: "http://x.invalid", Proxy: gone.URL}, urlsession.NoConnection},
		"half answer":  {t.Context(), urlsession.Request{URL: broken.URL}, urlsession.ConnectionLost},
		"no URL":       {t.Context(), urlsession.Request{URL: "http://a b"}, urlsession.BadURL},
		"out of time":  {over, urlsession.Request{URL: gone.URL}, urlsession.TimedOut},
		"no such host": {t.Context(), urlsession.Request{URL: "http://nowhere.invalid/"}, urlsession.NoHost},
	} {
		c.request.Method = "GET"
		if _, err := (web.Web{}).Fetch(c.ctx, c.request); code(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
