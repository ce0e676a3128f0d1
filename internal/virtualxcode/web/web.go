// Package web sends the requests of virtual apps over the real network. Web sends from the service's own process; a Carrier sends from
// processes that look like a simulator's app, so that servers and proxies see the same as on a Mac. The package must not know worlds,
// only requests.
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

// maxBody is the maximum size of a body that an app receives.
const maxBody = 4 << 20

// Web is a urlsession.Sender.
type Web struct{}

var _ urlsession.Sender = Web{}

// Fetch sends one request on its own connection. Without a proxy in the request it uses the environment of this process.
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

// trusted returns the certificates of the host and the additional ones of the device, in PEM or DER. Other data is ignored.
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
