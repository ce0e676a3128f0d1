package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// What a client process of the referee's match needs to know.
const (
	matchURL   = "MATCH_URL"
	matchKey   = "MATCH_KEY"
	matchField = "MATCH_FIELD"
	matchName  = "MATCH_NAME"
	matchGoal  = "MATCH_GOAL"
)

// player is one goroutine of one client process. It claims a device through the API and then makes a folder of the device's
// name in the referee's folder: when two hold one device, the second cannot make it.
type player struct {
	url, key, field, name string
}

// post calls the API; a refusal is a status and not an error.
func (p player) post(path string, body map[string]any) (got claimAnswer, status int, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return got, 0, err
	}
	r, err := http.NewRequest(http.MethodPost, p.url+path, bytes.NewReader(raw))
	if err != nil {
		return got, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return got, 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return got, 0, err
	}
	return got, answer.StatusCode, json.Unmarshal(text, &got)
}

// turn claims a device, makes and removes its folder, and releases it.
func (p player) turn() error {
	want := map[string]any{"session_id": p.name, "name": "iPhone 16 Pro", "wait_if_busy": true, "wait_timeout": 120}
	got, status, err := p.post("/api/v1/devices/claim", want)
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("claim: %d %v %w", status, got.Detail, err)
	}
	place := filepath.Join(p.field, got.Device.UDID)
	if err := os.Mkdir(place, 0o700); err != nil {
		return fmt.Errorf("TWO HAVE IT: %w", err)
	}
	if err := p.number(got.Device.UDID, got.Device.Epoch); err != nil {
		return err
	}
	if err := os.Remove(place); err != nil {
		return fmt.Errorf("TWO HAD IT: %w", err)
	}
	_, status, err = p.post("/api/v1/devices/release", map[string]any{"udid": got.Device.UDID, "session_id": p.name})
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("release: %d %w", status, err)
	}
	return nil
}

// number checks that a device's fencing number only grows.
func (p player) number(udid string, epoch uint64) error {
	file := filepath.Join(p.field, udid+".epoch")
	last := uint64(0)
	if raw, err := os.ReadFile(file); err == nil {
		if last, err = strconv.ParseUint(string(raw), 10, 64); err != nil {
			return err
		}
	}
	if epoch <= last {
		return fmt.Errorf("THE NUMBER WENT BACK: %d after %d", epoch, last)
	}
	return os.WriteFile(file, []byte(strconv.FormatUint(epoch, 10)), 0o600)
}

type claimAnswer struct {
	Device struct {
		UDID  string `json:"udid"`
		Epoch uint64 `json:"epoch"`
	} `json:"device"`
	Detail string `json:"detail"`
}

const (
	matchProcesses = 4
	matchPlayers   = 8
	matchClaims    = 2_000 // the referee sees a wrong one long before; `make soak` asks for five times as many
	claimsVariable = "IOS_AGENT_SOAK_CLAIMS"
)

// play is a client process: eight players that take turns until they have made their number of claims.
func play() int {
	goal, err := strconv.Atoi(os.Getenv(matchGoal))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = matchPlayers
	var turns atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for i := range matchPlayers {
		p := player{os.Getenv(matchURL), os.Getenv(matchKey), os.Getenv(matchField), fmt.Sprintf("%s-%d", os.Getenv(matchName), i)}
		all.Go(func() {
			for turns.Add(1) <= int64(goal) && !failed.Load() {
				if err := p.turn(); err != nil {
					fmt.Println(p.name, err)
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	if failed.Load() {
		return 1
	}
	return 0
}

// TestNoDoubleBooking: four processes of eight clients want three devices thousands of times, and a referee who knows
// nothing of the pool never sees two on one device.
func TestNoDoubleBooking(t *testing.T) {
	t.Parallel()
	claims := matchClaims
	if n, err := strconv.Atoi(os.Getenv(claimsVariable)); err == nil {
		claims = n
	}
	if testing.Short() || raceEnabled { // the detector needs to see the code run, not the number
		claims /= 10
	}
	r := newRig(t)
	if out, code := r.run("pool", "ensure", "3", "--name", "iPhone 16 Pro", "--session", "referee", "--json"); code != 0 {
		t.Fatalf("%s", out)
	}
	out, _ := r.run("pool", "list", "--claimed", "claimed", "--json")
	for line := range strings.SplitSeq(string(out), `"udid":"`) {
		if udid, _, ok := strings.Cut(line, `"`); ok && len(udid) == 36 {
			r.run("pool", "release", "--udid", udid, "--session", "referee")
		}
	}
	field := t.TempDir()
	var all sync.WaitGroup
	for i := range matchProcesses {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), matchURL+"="+r.url, matchKey+"="+r.key, matchField+"="+field, matchName+"="+fmt.Sprint("client", i),
			matchGoal+"="+fmt.Sprint(claims/matchProcesses))
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("client %d: %v\n%s", i, err, out)
			}
		})
	}
	all.Wait()
	if out, _ := r.run("pool", "list", "--claimed", "claimed"); !strings.HasPrefix(string(out), "0 devices") {
		t.Errorf("somebody still has one:\n%s", out)
	}
}
