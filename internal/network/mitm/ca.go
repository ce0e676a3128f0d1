package mitm

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"time"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/private"
	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/machine/wholefile"
)

// The files of an authority. The key must never leave its file, neither for a log, an answer, an archive nor another process.
const (
	keyFile  = "ca-key.pem"
	certFile = "ca.pem"
	mostPEM  = 64 << 10
)

const (
	caLife = 10 * 365 * 24 * time.Hour
	// leafLife is below the maximum that Apple's systems accept, 398 days.
	leafLife = 365 * 24 * time.Hour
	// caSpare is the minimum remaining life of an authority, so that a leaf of today expires before it.
	caSpare = leafLife + 48*time.Hour
)

// CA is the certificate authority of one home. Apps that trust it accept our certificates for any host.
type CA struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

// CAError says that the files of the authority are unusable.
type CAError struct {
	Path string
	Err  error
}

func (e *CAError) Error() string {
	return fmt.Sprintf("the proxy's certificate authority in %s: %v", e.Path, e.Err)
}

// Unwrap gives the reason.
func (e *CAError) Unwrap() error { return e.Err }

// Fault says how to replace the authority.
func (e *CAError) Fault() *fault.Fault {
	return fault.New(fault.PathError, "%w", e).
		WithHint("move that folder away: the proxy makes a new authority when it starts, and every simulator must trust the new one")
}

// LoadCA reads the authority of a folder, and creates a missing one. It refuses a key that other users can read: with the key they could
// read the traffic of the apps on this machine.
func LoadCA(dir string) (*CA, error) {
	ca, err := ReadCA(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return makeCA(dir, time.Now())
	}
	return ca, err
}

// ReadCA reads an existing authority; the error is fs.ErrNotExist if the folder has none.
func ReadCA(dir string) (*CA, error) {
	keyPath, certPath := filepath.Join(dir, keyFile), filepath.Join(dir, certFile)
	if err := private.ClosedFile(keyPath); err != nil {
		return nil, err
	}
	key, err := readPEM(keyPath, "PRIVATE KEY", func(der []byte) (*ecdsa.PrivateKey, error) {
		any, err := x509.ParsePKCS8PrivateKey(der)
		key, ok := any.(*ecdsa.PrivateKey)
		if err == nil && !ok {
			err = errors.New("its key is not an ECDSA key")
		}
		return key, err
	})
	if err != nil {
		return nil, err
	}
	if err := private.File(certPath); err != nil {
		return nil, err
	}
	cert, err := readPEM(certPath, "CERTIFICATE", x509.ParseCertificate)
	if err != nil {
		return nil, err
	}
	if public, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || !public.Equal(&key.PublicKey) || !cert.IsCA {
		return nil, &CAError{dir, errors.New("its certificate does not match its key")}
	}
	if time.Now().Add(caSpare).After(cert.NotAfter) {
		return nil, &CAError{dir, fmt.Errorf("it expires on %s", cert.NotAfter.Format(time.DateOnly))}
	}
	return &CA{cert: cert, key: key, file: certPath}, nil
}

func readPEM[T any](path, kind string, parse func([]byte) (T, error)) (T, error) {
	var none T
	data, err := regularfile.Read(path, mostPEM)
	if err != nil {
		return none, err
	}
	block, _ := pem.Decode(data)
	if block == nil || block.Type != kind {
		return none, &CAError{filepath.Dir(path), fmt.Errorf("%s contains no %s", filepath.Base(path), kind)}
	}
	parsed, err := parse(block.Bytes)
	if err != nil {
		return none, &CAError{filepath.Dir(path), err}
	}
	return parsed, nil
}

// makeCA writes the certificate first: after a kill between the two files, a key alone would be useless.
func makeCA(dir string, now time.Time) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial := newSerial()
	template := &x509.Certificate{
		SerialNumber: serial,
		// The number distinguishes the authorities of several homes in a list of trusted certificates.
		Subject:               pkix.Name{CommonName: fmt.Sprintf("ios-agent proxy %x", serial.Bytes()[:4]), Organization: []string{"ios-agent"}},
		NotBefore:             now.Add(-24 * time.Hour),
		NotAfter:              now.Add(caLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name, kind string
		der        []byte
	}{{certFile, "CERTIFICATE", der}, {keyFile, "PRIVATE KEY", secret}} {
		var text bytes.Buffer
		_ = pem.Encode(&text, &pem.Block{Type: file.kind, Bytes: file.der}) // writing to memory cannot fail
		if err := wholefile.Write(filepath.Join(dir, file.name), text.Bytes()); err != nil {
			return nil, err
		}
	}
	return ReadCA(dir)
}

// File is the path of the certificate, as PEM, for `simctl keychain add-root-cert`.
func (c *CA) File() string { return c.file }

// DER is the certificate in the form for devices (application/x-x509-ca-cert).
func (c *CA) DER() []byte { return bytes.Clone(c.cert.Raw) }

// PEM is the certificate in the form for programs.
func (c *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.cert.Raw})
}

// Fingerprint is the SHA-256 of the certificate, in hexadecimal digits.
func (c *CA) Fingerprint() string {
	sum := sha256.Sum256(c.cert.Raw)
	return hex.EncodeToString(sum[:])
}

// Name is the certificate's name in lists of trusted certificates.
func (c *CA) Name() string { return c.cert.Subject.CommonName }

// Expires is the end of the certificate's validity.
func (c *CA) Expires() time.Time { return c.cert.NotAfter }

// Certificate is the certificate, without the key.
func (c *CA) Certificate() *x509.Certificate { return c.cert }

// sign makes the certificate of a host.
func (c *CA) sign(host string, key *ecdsa.PrivateKey, now time.Time) (*tls.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: newSerial(),
		Subject:      pkix.Name{CommonName: commonName(host), Organization: []string{"ios-agent proxy"}},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.Add(leafLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if address, ok := asAddress(host); ok {
		template.IPAddresses = append(template.IPAddresses, address)
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, &key.PublicKey, c.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der, c.cert.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// newSerial is a serial number within the limit of 20 bytes. Its first bits are fixed, so that it is positive and always 16 bytes long.
func newSerial() *big.Int {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b[:])
}

// commonName fits into the 64 characters that X.520 allows; clients check the alternative names instead.
func commonName(host string) string {
	if len(host) > 64 {
		return "ios-agent proxy"
	}
	return host
}
