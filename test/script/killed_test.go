package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	killsVariable = "IOS_AGENT_SOAK_KILLS"
	seedVariable  = "IOS_AGENT_SEED"
	fewKills      = 6
)

// TestStateSurvivesKilledProcesses: again and again clients claim, release, tap and launch while a process of ours is killed, by chance the
// daemon, a tool it runs, or the service of the devices. What a client was told is so afterwards, no claim is lost, no tap is sent
// twice, no epoch goes back, no process is left and no file has to be set aside.
func TestStateSurvivesKilledProcesses(t *testing.T) {
	t.Parallel()
	trials, seed := fewKills, uint64(1)
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		trials = n
	}
	if n, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64); err == nil {
		seed = n
	}
	k := &killing{rig: newRig(t), held: map[string]held{}}
	k.shop(driver, "iPhone 16")
	k.shop(launcher, "iPhone 15")
	began := time.Now()
	k.during(map[string][]string{"tap": tap(), "claim": {"pool", "claim", "--name", "iPhone 14", "--session", "s0"}}, nobody, 0)
	k.within = time.Since(began)
	k.held, k.taps = k.truth(), k.cart(driver)
	trial := 0
	defer func() {
		if t.Failed() {
			t.Logf("trial %d of seed %d: %s=%d %s=%d takes it again", trial, seed, seedVariable, seed, killsVariable, trial+1)
		}
	}()
	for ; trial < trials; trial++ {
		k.random = rand.New(rand.NewPCG(seed, uint64(trial)))
		if k.trial(); t.Failed() {
			return
		}
	}
	if k.hit == 0 && trials >= 50 {
		t.Error("nobody was killed during a call")
	}
}

func tap() []string { return []string{"tap", "--identifier", "add-coffee", "--session", driver} }

// The sessions: one taps, one launches, the others claim and release.
const (
	driver   = "driver"
	launcher = "launcher"
)

// held is a claimed device.
type held struct {
	UDID  string
	Epoch uint64
}

// killing is a rig and what must be true of it.
type killing struct {
	*rig
	random  *rand.Rand
	held    map[string]held // by session
	taps    int             // that arrived
	highest uint64          // epoch so far
	within  time.Duration   // that calls take
	hit     int             // calls that were told of the kill
}

// trial lets clients work, kills somebody, and compares.
func (k *killing) trial() {
	session := fmt.Sprint("s", k.random.IntN(3))
	device := []string{"iPhone 16 Pro", "iPhone 14", "iPhone 16 Pro Max"}[k.random.IntN(3)]
	app := []string{"com.iosagent.shop", "com.iosagent.conformance"}[k.random.IntN(2)]
	calls := map[string][]string{"tap": tap()}
	_, holds := k.held[session]
	if holds {
		calls["release"] = []string{"pool", "release", "--session", session}
	} else {
		calls["claim"] = []string{"pool", "claim", "--name", device, "--session", session}
	}
	if k.random.IntN(4) == 0 {
		calls["launch"] = []string{"launch", app, "--session", launcher}
	}
	answers := k.during(calls, k.random.IntN(10), time.Duration(k.random.Float64()*float64(k.within)))
	for _, a := range answers {
		if a.Error.Code != "" {
			k.hit++
		}
	}
	k.compareClaims(session, answers)
	k.compareTaps(answers["tap"])
	k.nothingLeft()
}

// during runs command lines at once, kills one of our processes while they run, and gives their answers.
func (k *killing) during(calls map[string][]string, victim int, after time.Duration) map[string]answered {
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]answered{}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		all.Go(func() {
			a, err := k.try(calls[name]...)
			if err != nil {
				k.t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			answers[name] = a
		})
	}
	<-time.After(after) // any moment
	k.kill(victim)
	all.Wait()
	return answers
}

// try runs a command line, from any goroutine.
func (k *killing) try(args ...string) (a answered, err error) {
	cmd := exec.CommandContext(k.t.Context(), filepath.Join(bin, "ios-agent"), append(args, "--json")...)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = k.env, &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return a, err
	}
	if json.Unmarshal(out, &a) != nil {
		return a, fmt.Errorf("%v: %w: %s%s", args, err, out, stderr.Bytes())
	}
	return a, nil
}

const nobody = -1

// kill sends SIGKILL to the daemon, seven times of ten, or to the service of the devices, or to what the daemon runs.
func (k *killing) kill(victim int) {
	file := "run/daemon.lock"
	switch victim {
	case nobody:
		return
	case 7:
		file = "virtual/service.lock"
	case 8, 9:
		file = "run/children/*.json"
	}
	found, _ := filepath.Glob(filepath.Join(k.home, file))
	for _, file := range found {
		var who struct{ PID int }
		raw, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(raw, &who) == nil && who.PID > 0 {
			_ = syscall.Kill(who.PID, syscall.SIGKILL) // at worst it has ended
			return
		}
	}
}

// truth is what the pool says, and nothing that had to be set aside.
func (k *killing) truth() map[string]held {
	k.t.Helper()
	type listed struct {
		Devices []struct {
			held
			Holder string `json:"claimed_by"`
		}
		Notice string
	}
	list := listed{Notice: "not asked yet"}
	for try := 0; try < 3 && list.Notice != ""; try++ { // what a tool says that has just lost its service is a notice too
		list = listed{}
		if err := json.Unmarshal(k.do("pool", "list", "--claimed", "claimed").Result, &list); err != nil {
			k.t.Fatal(err)
		}
	}
	if list.Notice != "" {
		k.t.Error(list.Notice)
	}
	out := map[string]held{}
	for _, d := range list.Devices {
		out[d.Holder] = d.held
	}
	return out
}

// compareClaims holds what the pool says to what clients were told.
func (k *killing) compareClaims(session string, answers map[string]answered) {
	k.t.Helper()
	now := k.truth()
	for who, was := range k.held {
		if is := now[who]; who != session && is != was {
			k.t.Errorf("%s had %+v, and now %+v", who, was, is)
		}
	}
	if claim, ok := answers["claim"]; ok && claim.Error.Code == "" {
		var told struct{ Device held }
		if err := json.Unmarshal(claim.Result, &told); err != nil || told.Device != now[session] {
			k.t.Errorf("%s was told %+v, and has %+v: %v", session, told.Device, now[session], err)
		}
	}
	if release, ok := answers["release"]; ok && release.Error.Code == "" && now[session] != (held{}) {
		k.t.Errorf("%s was told that it has nothing, and has %+v", session, now[session])
	}
	before := k.highest
	for who, is := range now {
		if k.highest = max(k.highest, is.Epoch); is != k.held[who] && is.Epoch <= before {
			k.t.Errorf("%s has %+v, and %d was given before", who, is, before)
		}
	}
	k.held = now
}

// compareTaps wants as many taps to have arrived as the client was told.
func (k *killing) compareTaps(tap answered) {
	k.t.Helper()
	now := k.cart(driver)
	sent := now - k.taps
	k.taps = now
	if sent > 1 || sent == 1 && tap.Error.Dispatched == "no" || sent != 1 && tap.Error.Code == "" {
		k.t.Errorf("%d taps arrived, and the answer was %+v", sent, tap.Error)
	}
}

// nothingLeft wants one process of each kind, and no file that was set aside.
func (k *killing) nothingLeft() {
	k.t.Helper()
	most := map[string]int{"daemon run": 1, "virtual service": 1, "test-without-building": 2}
	var wrong string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(5 * time.Millisecond) {
		wrong = ""
		all := processesOf(k.home)
		for word, n := range most {
			if found := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !strings.Contains(p, word) }); len(found) > n {
				wrong = strings.Join(found, "\n")
			}
		}
		if wrong == "" {
			break
		}
	}
	if wrong != "" {
		k.t.Errorf("left behind:\n%s", wrong)
	}
	for _, pattern := range []string{"*damaged*", "virtual/state/*.bad"} {
		if found, _ := filepath.Glob(filepath.Join(k.home, pattern)); len(found) > 0 {
			k.t.Errorf("set aside: %q", found)
		}
	}
}
