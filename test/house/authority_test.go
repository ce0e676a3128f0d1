package house_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/op"
	"ios-agent/test/house"
)

// TestProxyPrivateKeyDoesNotLeak: whoever has the key of the proxy's authority is every server to a device that trusts it. It is in one
// file, which only its owner reads, and in nothing that leaves the process: answers of every operation that only looks, files that are
// written for the caller, logs, programs and their transcripts, and all other files.
func TestProxyPrivateKeyDoesNotLeak(t *testing.T) {
	t.Parallel()
	out := &outside{t: t}
	h := house.New(t, house.Options{
		Log: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})), Record: true, Programs: out.program,
	})
	h.Boot("a", "com.iosagent.shop")
	for _, name := range []string{"proxy_start", "proxy_cert", "install_proxy_cert", "proxy_guide", "doctor"} {
		out.say(name, h.Must("a", name, nil))
	}
	for _, format := range []string{"cer", "pem"} {
		w := h.REST("a", http.MethodGet, "/api/v1/proxy/cert?format="+format, nil)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", format, w.Code, w.Body)
		}
		_, _ = out.Write(w.Body.Bytes()) // to memory
	}
	files := h.Files()
	for _, o := range h.Product.Catalogue.Ops() {
		if id := h.Product.Catalogue.ID(o); o.Hints.Has(op.ReadOnly) && !o.Streams() {
			out.say(id, h.Call("a", id, files.Example(o, id)))
		}
	}
	archive := filepath.Join(t.TempDir(), "all.har")
	out.say("export", h.Must("a", "export_flows", in{"out": archive, "reveal": true}))
	out.files(filepath.Dir(archive), "")
	h.Restart()
	out.say("after a restart", h.Call("a", "proxy_status", nil))

	authority := filepath.Join(h.Home.String(), "proxy", "ca")
	secret := onlyKey(t, authority)
	out.files(h.Home.String(), authority)
	said := out.bytes()
	for name, form := range keyForms(t, secret) {
		if i := bytes.Index(said, form); i >= 0 {
			t.Errorf("the key, %s: …%q…", name, said[max(0, i-300):i])
		}
	}
	if !bytes.Contains(said, []byte("-----BEGIN CERTIFICATE-----")) || !bytes.Contains(said, []byte("/transcripts/")) {
		t.Error("nothing of the proxy was looked at")
	}
}

// onlyKey is the key of an authority: one file, in a folder that nobody else opens.
func onlyKey(t *testing.T, dir string) []byte {
	t.Helper()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", info, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var keys [][]byte
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if block, _ := pem.Decode(raw); block != nil && strings.Contains(block.Type, "PRIVATE") {
			if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
			}
			keys = append(keys, raw)
		}
	}
	if len(keys) != 1 {
		t.Fatalf("%d keys in %s", len(keys), dir)
	}
	return keys[0]
}

// keyForms are what a key looks like where it has no business.
func keyForms(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	block, _ := pem.Decode(text)
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	number, err := parsed.(*ecdsa.PrivateKey).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string][]byte{
		"DER": block.Bytes, "the number": number, "in hexadecimal": []byte(hex.EncodeToString(number)),
		"in base 64": []byte(base64.StdEncoding.EncodeToString(number)),
	}
	whole := base64.StdEncoding.EncodeToString(block.Bytes)
	forms["PEM, first line"], forms["PEM, second line"] = []byte(whole[:64]), []byte(whole[64:128]) // as PEM breaks lines
	return forms
}
