package config_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"ios-agent/internal/config"
)

// TestSourceIsTheHighestLayer throws dice over which layer has which key. A key's value must come from the highest
// layer that has it, or be absent because a rival is in a higher one, or a better one in the same.
func TestSourceIsTheHighestLayer(t *testing.T) {
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 7))
		has := map[config.Source]map[string]bool{}
		for _, layer := range layers {
			has[layer] = throw(dice, layer)
		}
		m := mergeAll(t, has)
		for _, k := range config.Keys() {
			if !k.Path && k.Kind != config.Text {
				continue
			}
			want := winner(k, has)
			if got := m.Values[k.Name].Source; got != want {
				t.Errorf("seed %d: %s comes from %q, want %q\n%v", seed, k.Name, got, want, has)
			}
			if v := text(m, k.Name); want != "" && !strings.HasSuffix(v, string(want)) {
				t.Errorf("seed %d: %s is %q, want that of %q", seed, k.Name, v, want)
			}
		}
	}
}

var layers = []config.Source{config.FromCall, config.FromSession, config.FromConfig, config.FromEnv}

func throw(dice *rand.Rand, layer config.Source) map[string]bool {
	keys := map[string]bool{}
	for _, k := range config.Keys() {
		keys[k.Name] = k.Kind == config.Text && dice.IntN(3) == 0
	}
	for _, group := range config.Groups() { // both sides in one call are refused
		if layer == config.FromCall || layer == config.FromSession {
			keys[group[dice.IntN(2)]] = false
		}
	}
	return keys
}

func winner(k config.Key, has map[config.Source]map[string]bool) config.Source {
	rivals := []string{k.Name}
	for _, g := range config.Groups() {
		if g[0] == k.Name || g[1] == k.Name {
			rivals = g
		}
	}
	for _, layer := range layers {
		if layer == config.FromConfig && k.Personal {
			continue // a file does not say it
		}
		for _, name := range rivals { // by rank
			if has[layer][name] && name == k.Name {
				return layer
			}
			if has[layer][name] {
				return ""
			}
		}
	}
	return ""
}

func mergeAll(t *testing.T, has map[config.Source]map[string]bool) config.Merged {
	t.Helper()
	env, text := map[string]string{}, "sessionDefaults:\n"
	session, call := values{}, values{}
	for _, k := range config.Keys() {
		value := func(s config.Source) string {
			if k.URL {
				return "http://127.0.0.1/" + string(s)
			}
			return "/" + k.Name + "-" + string(s)
		}
		if has[config.FromEnv][k.Name] {
			env[k.Variables()[0]] = value(config.FromEnv)
		}
		if has[config.FromConfig][k.Name] {
			text += fmt.Sprintf("  %s: %s\n", k.Name, value(config.FromConfig))
		}
		if has[config.FromSession][k.Name] {
			session[k.Name] = value(config.FromSession)
		}
		if has[config.FromCall][k.Name] {
			call[k.Name] = value(config.FromCall)
		}
	}
	s, _ := open(t, text, env)
	set(t, s, session)
	m, err := s.Merge(config.Spec{Keys: config.Keys().Names()}, call)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestStoreAllowsConcurrentUse is for the race detector.
func TestStoreAllowsConcurrentUse(t *testing.T) {
	s, dir := open(t, twoProfiles, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprint("p", i)
			_, _ = s.Set(config.Change{Profile: name, Create: true, Values: values{"scheme": name, "env": map[string]string{"A": name}}})
			_, _ = s.Persist(config.Change{Profile: name, Create: true, Values: values{"scheme": name}})
			_, _ = s.Merge(config.Spec{Keys: config.Keys().Names()}, values{"env": map[string]any{"B": "x"}})
			_, _ = s.PersistActive(name)
			_ = s.Show()
			s.Reload()
			_ = s.Clear(config.Clearing{Profile: name})
		})
	}
	all.Wait()
	again := config.Open(config.Options{Dir: dir})
	if got := len(again.Show().Profiles); got != 3+8 || len(again.Warnings()) > 0 {
		b, _ := os.ReadFile(configFile(dir))
		t.Errorf("%d profiles, %q:\n%s", got, again.Warnings(), b)
	}
}
