package mitm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"

	"ios-agent/internal/network/flow"
)

// explain says why a request to a server failed, with the status for the app.
func (p *Proxy) explain(ctx context.Context, err error, target string) (flow.TroubleKind, string, int) {
	var (
		name     *net.DNSError
		cert     *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		op       *net.OpError
		upstream *UpstreamError
		slow     net.Error
	)
	switch {
	case errors.Is(err, errOwnPort):
		return flow.OwnPort, target + ": " + errOwnPort.Error(), http.StatusForbidden
	case p.ctx.Err() != nil:
		return flow.ProxyEnded, "the proxy was ended", http.StatusServiceUnavailable
	case ctx.Err() != nil:
		return flow.AppGone, "the app ended the connection before it was answered", http.StatusBadGateway
	case errors.As(err, &upstream):
		return flow.NoServer, upstream.Error(), http.StatusBadGateway
	case errors.As(err, &name):
		return flow.NoName, fmt.Sprintf("the name %s cannot be found: %s", name.Name, name.Err), http.StatusBadGateway
	case errors.As(err, &cert):
		return flow.ServerTLS, fmt.Sprintf("tls: the certificate of %s is not valid: %v", target, cert.Err), http.StatusBadGateway
	case errors.As(err, &record):
		return flow.ServerTLS, "tls: " + target + " does not speak TLS there", http.StatusBadGateway
	case errors.As(err, &op) && op.Op == "remote error":
		return flow.ServerTLS, fmt.Sprintf("tls: %s ended the handshake: %v", target, op.Err), http.StatusBadGateway
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return flow.NoServer, "no server accepts connections at " + target, http.StatusBadGateway
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return flow.TooLong, target + " took too long", http.StatusGatewayTimeout
	}
	return flow.ServerGone, fmt.Sprintf("%s ended the connection: %v", target, err), http.StatusBadGateway
}
