package daemon

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
)

const secret = "0123456789abcdef0123456789abcdef"

func TestGuardRequiresKeyAndLocalHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const through = http.StatusNoContent
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(through) })
	h := guard(&Key{Path: path}, false, map[string]bool{"/health": true}, next)
	for name, c := range map[string]struct {
		path, host, header, value string
		want                      int
	}{
		"bearer":            {"/x", "127.0.0.1:9100", "Authorization", "Bearer " + secret, through},
		"api key":           {"/x", "localhost:9100", "X-API-Key", secret, through},
		"ipv6":              {"/x", "[::1]:9100", "X-API-Key", secret, through},
		"no key":            {"/x", "localhost", "", "", http.StatusUnauthorized},
		"wrong key":         {"/x", "localhost", "X-API-Key", secret + "2", http.StatusUnauthorized},
		"empty bearer":      {"/x", "localhost", "Authorization", "Bearer ", http.StatusUnauthorized},
		"rebound host":      {"/x", "evil.example", "X-API-Key", secret, http.StatusForbidden},
		"lookalike host":    {"/x", "127.0.0.1.evil.example", "X-API-Key", secret, http.StatusForbidden},
		"health is public":  {"/health", "localhost", "", "", through},
		"health, bad host":  {"/health", "evil.example", "", "", http.StatusForbidden},
		"health has no sub": {"/health/../x", "localhost", "", "", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest("GET", "http://"+c.host+c.path, nil)
		r.Header.Set(c.header, c.value)
		if c.header == "" {
			r.Header.Del("")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
	r := httptest.NewRequest("GET", "http://localhost/x", nil)
	r.Header.Set("X-API-Key", secret)
	r.Header.Set("Origin", "https://evil.example")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("a web page got %d", w.Code)
	}
}

func TestKeyIsMadeOnceAndPrivate(t *testing.T) {
	key := &Key{Path: filepath.Join(t.TempDir(), "key")}
	first, err := key.Read()
	if err != nil || len(first) != 64 {
		t.Fatalf("%q %v", first, err)
	}
	if second, err := key.Read(); err != nil || second != first {
		t.Errorf("%q %v", second, err)
	}
	if info, err := os.Stat(key.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	fresh, err := key.Rotate()
	if now, _ := key.Read(); err != nil || fresh == first || now != fresh {
		t.Errorf("not rotated: %v", err)
	}
}

// TestUnsafeKeyFileIsRefused: a key that others can read, write or turn elsewhere is not used, and the fault says what to do.
func TestUnsafeKeyFileIsRefused(t *testing.T) {
	good := []byte(strings.Repeat("k", 64) + "\n")
	for name, lay := range map[string]func(path string) error{
		"readable": func(path string) error { return os.WriteFile(path, good, 0o644) },
		"writable": func(path string) error { return errors.Join(os.WriteFile(path, good, 0o600), os.Chmod(path, 0o620)) },
		"a link": func(path string) error {
			return errors.Join(os.WriteFile(path+"2", good, 0o600), os.Symlink(path+"2", path))
		},
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		key := &Key{Path: filepath.Join(t.TempDir(), "key")}
		if err := lay(key.Path); err != nil {
			t.Fatal(err)
		}
		got, err := key.Read()
		if f := fault.From(err); err == nil || got != "" || f.Code != fault.PathError || !strings.Contains(f.Hint, key.Path) {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
}

func TestRemoteListenNeedsPermission(t *testing.T) {
	for address, fine := range map[string]bool{"": true, "127.0.0.1:9200": true, "[::1]:9200": true, "localhost:1": true,
		"0.0.0.0:9200": false, ":9200": false, "10.0.0.1:1": false} {
		if err := CheckListen(address, false); (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
		if err := CheckListen(address, true); err != nil {
			t.Errorf("%q, asked for: %v", address, err)
		}
	}
}

func TestAShortKeyIsRefused(t *testing.T) {
	for _, text := range []string{"a", " \n", strings.Repeat("k", 31) + "\n"} {
		key := &Key{Path: filepath.Join(t.TempDir(), "key")}
		if err := os.WriteFile(key.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := key.Read()
		if f, _ := fault.In(err); f == nil || !strings.Contains(f.Hint, "ios-agent key rotate") || got != "" {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}
