package mitm_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/elazarl/goproxy"

	"ios-agent/internal/machine/private"
	"ios-agent/internal/network/mitm"
)

func TestCAIsCreatedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ca")
	first, err := mitm.LoadCA(dir)
	must(t, err)
	second, err := mitm.LoadCA(dir)
	must(t, err)
	if first.Fingerprint() != second.Fingerprint() || len(first.Fingerprint()) != 64 {
		t.Errorf("%s, then %s", first.Fingerprint(), second.Fingerprint())
	}
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		info, err := f.Info()
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", f.Name(), info.Mode())
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	other, err := mitm.LoadCA(t.TempDir())
	must(t, err)
	if other.Fingerprint() == first.Fingerprint() || other.Name() == first.Name() {
		t.Error("two homes have one authority")
	}
}

func TestCAKeyReadableByOthersIsRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := mitm.LoadCA(dir)
	must(t, err)
	must(t, os.Chmod(filepath.Join(dir, "ca-key.pem"), 0o640))
	var unsafe *private.UnsafeError
	if _, err := mitm.LoadCA(dir); !errors.As(err, &unsafe) {
		t.Errorf("%v", err)
	}
}

func TestDamagedCAIsNotReplaced(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		_, err := mitm.LoadCA(dir)
		must(t, err)
	}
	key, err := os.ReadFile(filepath.Join(two, "ca-key.pem"))
	must(t, err)
	for _, text := range []string{string(key), "", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		must(t, os.WriteFile(filepath.Join(one, "ca-key.pem"), []byte(text), 0o600))
		var wrong *mitm.CAError
		if _, err := mitm.LoadCA(one); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", text[:min(len(text), 20)], err)
		}
	}
}

// TestLeafCertificatesAreValidForTheirHost: each is for its host, for less than Apple's 398 days, and chains to our authority and to no
// other: not to the one that goproxy publishes with its key.
func TestLeafCertificatesAreValidForTheirHost(t *testing.T) {
	r := open(t, nil)
	ours, public := x509.NewCertPool(), x509.NewCertPool()
	ours.AddCert(r.ca.Certificate())
	published, err := x509.ParseCertificate(goproxy.GoproxyCa.Certificate[0])
	must(t, err)
	public.AddCert(published)
	for _, host := range []string{"shop.example", "127.0.0.1", "::1", strings.Repeat("long.", 20) + "example"} {
		chain, err := r.proxy.Leaf(host)
		must(t, err)
		leaf, err := x509.ParseCertificate(chain[0])
		must(t, err)
		if err := leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
		if days := leaf.NotAfter.Sub(leaf.NotBefore); days > 397*24*time.Hour || leaf.NotAfter.After(r.ca.Expires()) {
			t.Errorf("%s is good for %v", host, days)
		}
		if net.ParseIP(host) != nil && len(leaf.DNSNames) > 0 || leaf.IsCA {
			t.Errorf("%v %v", leaf.DNSNames, leaf.IsCA)
		}
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: ours}); err != nil {
			t.Error(err)
		}
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: public}); err == nil {
			t.Errorf("%s chains to goproxy's public authority", host)
		}
		for _, der := range chain {
			if string(der) == string(published.Raw) {
				t.Error("goproxy's authority is shown")
			}
		}
		if again, _ := r.proxy.Leaf(host); string(again[0]) != string(chain[0]) {
			t.Errorf("%s was signed twice", host)
		}
	}
	r.proxy.SetMostLeaves(10)
	for i := range 20 {
		_, err := r.proxy.Leaf(fmt.Sprintf("h%d.example", i))
		must(t, err)
	}
	if n := r.proxy.Leaves(); n != 10 {
		t.Errorf("%d leaves are kept", n)
	}
}
