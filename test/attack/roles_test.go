package attack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ios-agent/internal/driver/agentwire"
)

// roleVariable makes this program one of the attacker's.
const roleVariable = "IOS_AGENT_ATTACK"

// attempt is one thing to try.
type attempt struct {
	What string // a key of attempts
	At   string
}

// attempts try something and tell what was gained; an error is a failure of the attack.
var attempts = map[string]func(at string) (gained string, err error){
	"read": func(at string) (string, error) {
		raw, err := os.ReadFile(at)
		return fmt.Sprintf("%d bytes", len(raw)), err
	},
	"list": func(at string) (string, error) {
		found, err := os.ReadDir(at)
		return fmt.Sprintf("%d entries", len(found)), err
	},
	"write": func(at string) (string, error) {
		f, err := os.OpenFile(at, os.O_WRONLY, 0)
		if err != nil {
			return "", err
		}
		return "opened", f.Close()
	},
	"make": func(at string) (string, error) { return "made", os.WriteFile(filepath.Join(at, "planted"), nil, 0o600) },
	"move": func(at string) (string, error) { return "moved", os.Rename(at, at+".taken") },
	"dial": func(at string) (string, error) {
		c, err := net.Dial("unix", at)
		if err != nil {
			return "", err
		}
		return "connected", c.Close()
	},
	"get": func(at string) (string, error) {
		resp, err := http.Get(at)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			return "", fmt.Errorf("status %d", resp.StatusCode)
		}
		return resp.Status, nil
	},
	"proxy": func(at string) (string, error) { // the address of a proxy, and what is to be asked for through it
		address, target, _ := strings.Cut(at, " ")
		through := http.ProxyURL(&url.URL{Scheme: "http", Host: address})
		resp, err := (&http.Client{Transport: &http.Transport{Proxy: through}}).Get(target)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusForbidden {
			return "", fmt.Errorf("status %d", resp.StatusCode)
		}
		return resp.Status, nil
	},
	"proxy blindly": func(at string) (string, error) { // and does not wait for the answer
		address, target, _ := strings.Cut(at, " ")
		c, err := net.Dial("tcp", address)
		if err != nil {
			return "", err
		}
		_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
		return "", errors.Join(err, c.Close(), errors.New("what it gained the server knows"))
	},
	"kill": func(at string) (string, error) {
		var pid int
		_, err := fmt.Sscan(at, &pid)
		if err != nil {
			return "killed", nil
		}
		return "killed", syscall.Kill(pid, syscall.SIGTERM)
	},
	"agent":       func(at string) (string, error) { return greet(at, "") },
	"agent token": func(at string) (string, error) { return greet(at, strings.Repeat("0", 32)) },
}

func greet(at, token string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := agentwire.Dial(ctx, at)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.Hello(ctx, token, "ios-agent"); err != nil {
		return "", err
	}
	return "greeted", nil
}

// play is the attacker's program: what it reads from stdin says what to do, and it says on stdout what it gained.
func play(role string) int {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	switch role {
	case "try":
		for {
			var a attempt
			if in.Decode(&a) != nil {
				return 0
			}
			if gained, err := attempts[a.What](a.At); err == nil {
				_ = out.Encode(a.What + " " + a.At + ": " + gained)
			}
		}
	case "crowd":
		var addresses []string
		if err := in.Decode(&addresses); err != nil {
			return 1
		}
		var held []net.Conn
		for range 1100 {
			if c, err := net.Dial("tcp", addresses[0]); err == nil {
				held = append(held, c)
			}
		}
		_ = out.Encode(fmt.Sprintf("holds %d", len(held)))
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "squat":
		var addresses []string
		if err := in.Decode(&addresses); err != nil {
			return 1
		}
		squat(addresses, out)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test has seen enough
	}
	return 0
}

// squat listens first, tells how many addresses it got, and then everything it hears. It answers, so that the other side goes on.
func squat(addresses []string, out *json.Encoder) {
	var mu sync.Mutex
	tell := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		_ = out.Encode(text)
	}
	taken := 0
	for _, address := range addresses {
		network := "tcp"
		if filepath.IsAbs(address) {
			network = "unix"
		}
		l, err := net.Listen(network, address)
		if err != nil || network == "unix" && os.Chmod(address, 0o777) != nil {
			continue
		}
		taken++
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					buf := make([]byte, 64<<10)
					for {
						n, err := c.Read(buf)
						if err != nil {
							return
						}
						tell("heard " + string(buf[:n]))
						_, _ = c.Write(buf[:n])
					}
				}()
			}
		}()
	}
	tell(fmt.Sprintf("listens %d", taken))
}

// lines are what a program has printed so far.
type lines struct {
	mu    sync.Mutex
	all   []string
	more  chan struct{} // closed and made anew with each line
	ended bool
}

func (l *lines) add(line string, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = ended; !ended {
		l.all = append(l.all, line)
	}
	close(l.more)
	l.more = make(chan struct{})
}

func (l *lines) now() ([]string, <-chan struct{}, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, l.more, l.ended
}

// start starts a role as the attacker.
func start(t *testing.T, role string, input any) *attacker {
	t.Helper()
	cmd := exec.Command(filepath.Join(tools, "attacker"))
	cmd.Env, cmd.Dir, cmd.SysProcAttr = append(os.Environ(), roleVariable+"="+role), "/", user(attackerID)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := &attacker{cmd: cmd, stdin: stdin, out: &lines{more: make(chan struct{})}}
	go func() {
		scan := bufio.NewScanner(stdout)
		scan.Buffer(nil, 4<<20)
		for scan.Scan() {
			var text string
			_ = json.Unmarshal(scan.Bytes(), &text) // what is not one of ours is empty
			a.out.add(text, false)
		}
		a.out.add("", true)
	}()
	t.Cleanup(func() { a.end() })
	if err := json.NewEncoder(stdin).Encode(input); err != nil {
		t.Fatal(err)
	}
	return a
}

// end ends it and gives all it said.
func (a *attacker) end() []string {
	a.stdin.Close()
	for {
		all, more, ended := a.out.now()
		if ended {
			_ = a.cmd.Wait()
			return all
		}
		<-more
	}
}

// until waits for a line that begins so.
func (a *attacker) until(t *testing.T, prefix string) string {
	t.Helper()
	for {
		all, more, ended := a.out.now()
		for _, line := range all {
			if strings.HasPrefix(line, prefix) {
				return line
			}
		}
		if ended {
			t.Fatalf("it ended and said %q", all)
		}
		<-more
	}
}

// gained is what the attacker gets of all attempts.
func gained(t *testing.T, all []attempt) []string {
	t.Helper()
	a := start(t, "try", all[0])
	for _, one := range all[1:] {
		if err := json.NewEncoder(a.stdin).Encode(one); err != nil {
			t.Fatal(err)
		}
	}
	return a.end()
}
