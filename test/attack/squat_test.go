package attack

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ios-agent/internal/daemon"
)

// TestSquattedPortsGetNoSecrets: another user listens first where the daemon and the agents usually do. The daemon takes another port or
// says so; the agent is refused to be believed; neither the key, nor a token, nor a secret reaches him.
func TestSquattedPortsGetNoSecrets(t *testing.T) {
	needRoot(t)
	const first = 21000
	var ports []string
	for i := range 20 {
		ports = append(ports, fmt.Sprintf("127.0.0.1:%d", daemon.FirstPort+i))
	}
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked := own.Addr().String()
	own.Close()
	a := start(t, "squat", append(ports, asked))
	a.until(t, "listens")
	v := newVictim(t, fmt.Sprintf("IOS_AGENT_AGENT_PORT=%d", first), "IOS_AGENT_AGENT_WAIT=5s")
	if s := v.run("daemon", "run", "--listen", asked); s.exit == 0 || !strings.Contains(s.stdout+s.stderr, asked) {
		t.Errorf("a port that is taken: %+v", s)
	}
	s := v.status()
	if slices.Contains(ports, strings.TrimPrefix(s.URL, "http://")) {
		t.Fatalf("%s is the attacker's", s.URL)
	}
	var agents []string
	for i := range 1000 {
		agents = append(agents, fmt.Sprintf("127.0.0.1:%d", first+i))
	}
	b := start(t, "squat", agents)
	if heard := b.until(t, "listens"); heard == "listens 0" {
		t.Fatal(heard)
	}
	v.must("boot", "--sim", "iPhone 16")
	v.must("launch", "com.iosagent.shop")
	var e struct{ Error struct{ Code string } }
	for _, args := range [][]string{{"snapshot"}, {"fill", "--identifier", "email-field", "$SECRET:shop"}} {
		said := v.run(append(args, "--json")...)
		if err := json.Unmarshal([]byte(said.stdout), &e); err != nil || e.Error.Code != "AGENT_FAILED" {
			t.Errorf("%v with every port taken: %s%s", args, said.stdout, said.stderr)
		}
	}
	heard := strings.Join(append(a.end(), b.end()...), "\n")
	if !strings.Contains(heard, "heard") {
		t.Error("nobody spoke to him: is he where the agents are?")
	}
	for what, value := range map[string]string{"the key": v.key(), "the secret": secret} {
		if strings.Contains(heard, value) {
			t.Errorf("he heard %s", what)
		}
	}
	if token := regexp.MustCompile(`[0-9a-f]{32}`).FindString(heard); token != "" {
		t.Errorf("he heard what may be a token: %s", token)
	}
	v.must("snapshot") // he has left
}

// TestForeignServersAreRefused: another user runs a server where the victim expects the one of a driver, and would be told what is typed.
// It is refused before a byte is sent, whoever named it; the fault says whose it is.
func TestForeignServersAreRefused(t *testing.T) {
	needRoot(t)
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := own.Addr().String()
	own.Close()
	v := newVictim(t)
	socket := filepath.Join(v.dir, "idb.sock")
	a := start(t, "squat", []string{at, socket})
	if heard := a.until(t, "listens"); heard != "listens 2" {
		t.Fatal(heard)
	}
	v.env = append(v.env, "IOS_AGENT_IMPLICIT_LEASE=0")
	v.must("boot", "--sim", "iPhone 16")
	v.must("launch", "com.iosagent.shop")
	refused := func(args ...string) {
		t.Helper()
		var e struct {
			Error struct{ Code, Message, Hint string }
		}
		s := v.run(append(args, "--json")...)
		if err := json.Unmarshal([]byte(s.stdout), &e); err != nil || e.Error.Code != "FORBIDDEN" ||
			!strings.Contains(e.Error.Message, fmt.Sprintf("another user of this machine (uid %d)", attackerID)) || e.Error.Hint == "" {
			t.Errorf("%v: got %s%s, want FORBIDDEN and whose the server is", args, s.stdout, s.stderr)
		}
	}
	fill := []string{"fill", "--identifier", "email-field", "$SECRET:shop"}
	for driver, url := range map[string]string{"wda": "http://" + at, "appium": "http://" + at, "idb": "unix://" + socket} {
		v.env = append(v.env, "IOS_AGENT_SESSION="+driver)
		v.must("use", "iPhone 16")
		v.must("session-set-defaults", "--driver", driver, "--"+driver+"-url", url)
		refused("snapshot")
		refused("tap", "--identifier", "email-field")
		v.must("trust", url)
		refused(fill...)
		v.env = append(v.env, "IOS_AGENT_SESSION=env-"+driver, "IOS_AGENT_DRIVER="+driver, "IOS_AGENT_"+strings.ToUpper(driver)+"_URL="+url)
		v.must("use", "iPhone 16")
		refused(fill...)
		v.env = append(v.env, "IOS_AGENT_DRIVER=")
	}
	for _, line := range a.end() {
		if strings.HasPrefix(line, "heard") {
			t.Errorf("he %s", line)
		}
	}
}

// TestSquattedFoldersAreRefused: another user made a folder first that the product would use. It is refused, with what to do.
func TestSquattedFoldersAreRefused(t *testing.T) {
	needRoot(t)
	give := func(t *testing.T, path string, mode os.FileMode) {
		t.Helper()
		for _, err := range []error{os.MkdirAll(path, 0o755), os.Chmod(path, mode), os.Chown(path, attackerID, attackerID)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(path string) string { return fmt.Sprintf("rm -r %q", path) }
	t.Run("the home", func(t *testing.T) {
		v := newVictim(t)
		squatted := filepath.Join(v.dir, "theirs")
		give(t, squatted, 0o777)
		v.env = append(v.env, "IOS_AGENT_HOME="+squatted)
		v.refused("a folder of your own", "list-sims")
		if found := paths(t, squatted); len(found) != 1 {
			t.Errorf("something was written: %q", found)
		}
	})
	for name, mode := range map[string]os.FileMode{
		"the folder above the home": 0o777 | os.ModeSticky, "a folder that everybody can write": 0o777,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			above := filepath.Join(v.dir, "above")
			give(t, above, mode)
			if mode&os.ModeSticky == 0 {
				if err := os.Chown(above, victimID, victimID); err != nil {
					t.Fatal(err)
				}
			}
			v.env = append(v.env, "IOS_AGENT_HOME="+filepath.Join(above, "mine"))
			v.refused("a folder of your own", "list-sims")
		})
	}
	for _, name := range []string{"run", "versions", "virtual", "secrets", "virtual/locks"} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			v.must("virtual", "path")
			squatted := filepath.Join(v.home, name)
			if err := os.RemoveAll(squatted); err != nil {
				t.Fatal(err)
			}
			give(t, squatted, 0o777)
			v.refused(remove(squatted), "list-sims")
			if err := os.Remove(squatted); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("the folder of the socket", func(t *testing.T) {
		v := newVictim(t)
		long := filepath.Join(filepath.Dir(v.home), strings.Repeat("long", 30))
		squatted := filepath.Join(v.dir, fmt.Sprintf("ios-agent-%d", victimID))
		give(t, squatted, 0o777)
		v.env = append(v.env, "IOS_AGENT_HOME="+long)
		v.refused(squatted, "list-sims")
		if err := os.Remove(squatted); err != nil {
			t.Error(err)
		}
	})
	t.Run("a link to a folder of the victim", func(t *testing.T) {
		v := newVictim(t)
		long := filepath.Join(filepath.Dir(v.home), strings.Repeat("long", 30))
		squatted := filepath.Join(v.dir, fmt.Sprintf("ios-agent-%d", victimID))
		if err := os.Symlink(filepath.Dir(v.home), squatted); err != nil {
			t.Fatal(err)
		}
		v.env = append(v.env, "IOS_AGENT_HOME="+long)
		v.refused(squatted, "list-sims")
		if err := os.Remove(squatted); err != nil {
			t.Error(err)
		}
	})
	t.Run("transcripts", func(t *testing.T) {
		v := newVictim(t)
		squatted := filepath.Join(v.dir, "transcripts")
		give(t, squatted, 0o777)
		v.env = append(v.env, "IOS_AGENT_RECORD="+squatted)
		v.refused(squatted, "list-sims")
		v.env = append(v.env, "IOS_AGENT_RECORD=")
	})
}
