package quern

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"

	"ios-agent/internal/fault"
	"ios-agent/internal/op"
)

// certIn is quern's input.
type certIn struct {
	Format string `json:"format,omitempty" doc:"cer (for iOS) or pem" enum:"cer,pem" default:"cer"`
}

// certOut is the certificate as a file; over HTTP it is the body itself. It must never contain the private key.
type certOut struct {
	op.Download
	Fingerprint string `json:"fingerprint"`
}

// proxyCert is the certificate, as PEM or as DER with the type that iOS opens as a profile. The route is public, so that this must
// not create a certificate: any client could make the daemon do it.
func (v views) proxyCert(_ context.Context, _ *op.Call, in certIn) (certOut, error) {
	ca, err := v.core.Network.CA()
	if errors.Is(err, fs.ErrNotExist) {
		return certOut{}, fault.New(fault.ProxyNotRunning, "the certificate does not exist yet: the first start of the proxy creates it")
	}
	if err != nil {
		return certOut{}, err
	}
	name, kind, data := "ios-agent-ca.cer", "application/x-x509-ca-cert", ca.DER()
	if in.Format == "pem" {
		name, kind, data = "ios-agent-ca.pem", "application/x-pem-file", ca.PEM()
	}
	return certOut{op.Download{Name: name, MIME: kind, Data: base64.StdEncoding.EncodeToString(data)}, ca.Fingerprint()}, nil
}
