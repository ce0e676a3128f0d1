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
	Format string `json:"format,omitempty" doc:"cer, which iOS takes, or pem" enum:"cer,pem" default:"cer"`
}

// certOut is the certificate as a file; over HTTP it is the body itself. Its key is in no answer.
type certOut struct {
	op.Download
	Fingerprint string `json:"fingerprint"`
}

// proxyCert is the certificate: as DER, under the type that iOS opens as a profile, or as PEM. Nobody needs a key to ask for
// it, so that nothing is made for who asks.
func (v views) proxyCert(_ context.Context, _ *op.Call, in certIn) (certOut, error) {
	ca, err := v.core.Network.CA()
	if errors.Is(err, fs.ErrNotExist) {
		return certOut{}, fault.New(fault.ProxyNotRunning, "there is no certificate yet: the proxy makes it when it first starts")
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
