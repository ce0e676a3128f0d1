// Package web sends the requests of virtual apps over the real network, from the service's process: they reach servers and
// proxies as those of a simulator's app do. It must not know worlds, only requests.
package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"ios-agent/internal/virtualxcode/urlsession"
)

// maxBody is how much of an answer an app is told.
const maxBody = 4 << 20

// Web is a urlsession.Sender.
type Web struct{}

var _ urlsession.Sender = Web{}

// Fetch sends one request on a connection of its own. Without a proxy of the request it goes as the environment of
// this process says.
func (Web) Fetch(ctx context.Context, r urlsession.Request) (urlsession.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return urlsession.Response{}, &urlsession.Error{Code: urlsession.BadURL}
	}
	for _, h := range r.Headers {
		request.Header.Set(h.Name, h.Value)
	}
	transport, err := transport(r)
	if err != nil {
		return urlsession.Response{}, err
	}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return urlsession.Response{}, reason(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return urlsession.Response{}, reason(err)
	}
	return urlsession.Response{Status: response.StatusCode, Type: response.Header.Get("Content-Type"), Body: string(body)}, nil
}

func transport(r urlsession.Request) (*http.Transport, error) {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted(r.Roots)}}
	if r.Proxy != "" {
		through, err := url.Parse(r.Proxy)
		if err != nil {
			return nil, &urlsession.Error{Code: urlsession.NoConnection}
		}
		t.Proxy = http.ProxyURL(through)
	}
	return t, nil
}

// trusted is the certificates that the host trusts and those that were added to the device, in PEM or DER. Other data is
// ignored.
func trusted(roots [][]byte) *x509.CertPool {
	if len(roots) == 0 {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, data := range roots {
		if pool.AppendCertsFromPEM(data) {
			continue
		}
		if certificate, err := x509.ParseCertificate(data); err == nil {
			pool.AddCert(certificate)
		}
	}
	return pool
}

// reason is err in the words of URLSession.
func reason(err error) error {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &urlsession.Error{Code: urlsession.NoTrust}
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return &urlsession.Error{Code: urlsession.NoHost}
	}
	if o, ok := errors.AsType[*net.OpError](err); ok && o.Op == "dial" || ok && o.Op == "proxyconnect" {
		return &urlsession.Error{Code: urlsession.NoConnection}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &urlsession.Error{Code: urlsession.TimedOut}
	}
	return &urlsession.Error{Code: urlsession.ConnectionLost}
}
