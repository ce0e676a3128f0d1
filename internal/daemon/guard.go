package daemon

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"ios-agent/internal/fault"
	"ios-agent/internal/surface/rest"
)

// guard lets only callers with the key through, and no web page at all: a page on the internet can make a browser send
// requests to this port, but not with a loopback Host and without an Origin.
func guard(key string, next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"status":"ok"}` + "\n"))
	})
	mux.Handle("/", next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback(r.Host):
			rest.Fail(w, fault.New(fault.Forbidden, "the Host %q is not a loopback address", r.Host))
		case !sameMachine(r.Header.Get("Origin")):
			rest.Fail(w, fault.New(fault.Forbidden, "requests from the web page %q are refused", r.Header.Get("Origin")))
		case r.URL.Path != "/health" && !authorised(r, key):
			rest.Fail(w, fault.New(fault.Unauthorized, "the key is missing or wrong"))
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func sameMachine(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback(u.Host)
}

// authorised compares hashes in constant time: neither the key nor its length leaks through the clock.
func authorised(r *http.Request, key string) bool {
	given := r.Header.Get("X-API-Key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(key))
	return key != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// LoadKey reads the key of the HTTP surface, made on first use and readable by its owner only.
func LoadKey(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err == nil && len(raw) > 0 {
		return strings.TrimSpace(string(raw)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	key := hex.EncodeToString(secret)
	return key, os.WriteFile(path, []byte(key+"\n"), 0o600)
}
