package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// replaySpawner answers from a folder of transcripts and executes no program.
type replaySpawner struct {
	repeat bool

	mu      sync.Mutex
	started int
	runs    map[string]*equalRuns // by key
}

var _ spawner = (*replaySpawner)(nil)

// equalRuns has the transcripts of equal invocations: only their paths, because a transcript may contain a screenshot.
type equalRuns struct {
	key   []string
	files []string // in recorded order
	used  int
}

// openReplay reads every transcript once, so that a damaged transcript is found now and not in the middle of a test.
func openReplay(dir string, repeat bool) (*replaySpawner, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	files, err := os.ReadDir(dir) // sorted by the numbers at the beginning of the names
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	l := &replaySpawner{repeat: repeat, runs: map[string]*equalRuns{}}
	for _, f := range files {
		if filepath.Ext(f.Name()) != transcriptSuffix {
			continue
		}
		if err := l.add(filepath.Join(dir, f.Name())); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *replaySpawner) add(path string) error {
	t, err := readTranscript(path)
	if err != nil {
		return err
	}
	key := t.key()
	s := l.runs[join(key)]
	if s == nil {
		s = &equalRuns{key: key}
		l.runs[join(key)] = s
	}
	s.files = append(s.files, path)
	return nil
}

func join(key []string) string { return strings.Join(key, "\x00") }

func readTranscript(path string) (transcript, error) {
	f, err := os.Open(path)
	if err != nil {
		return transcript{}, fmt.Errorf("replay: %w", err)
	}
	defer f.Close()
	t, err := decodeTranscript(f)
	if err != nil {
		return transcript{}, fmt.Errorf("replay: %s: %w", path, err)
	}
	return t, nil
}

func (l *replaySpawner) spawn(c Cmd) (spawned, error) {
	path, number, err := l.take(keyOf(c))
	if err != nil {
		return spawned{}, err
	}
	t, err := readTranscript(path)
	if err != nil {
		return spawned{}, err
	}
	if err := t.startError(c); err != nil {
		return spawned{}, err
	}
	return newReplayedProgram(t, c).spawned(number), nil
}

// take finds the next transcript for an invocation.
func (l *replaySpawner) take(key []string) (path string, number int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.runs[join(key)]
	if s == nil {
		return "", 0, &NotRecordedError{Argv: key, Nearest: l.nearest(key)}
	}
	if s.used == len(s.files) && !l.repeat {
		return "", 0, &NotRecordedError{Argv: key, Used: s.used}
	}
	s.used = min(s.used+1, len(s.files))
	l.started++
	return s.files[s.used-1], l.started, nil
}

// nearest returns at most three recorded invocations, the most similar first.
func (l *replaySpawner) nearest(key []string) [][]string {
	var all [][]string
	for _, s := range l.runs {
		if common(key, s.key) > 0 {
			all = append(all, s.key)
		}
	}
	slices.SortFunc(all, func(a, b []string) int {
		if d := common(key, b) - common(key, a); d != 0 {
			return d
		}
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return slices.Compare(a, b)
	})
	return all[:min(3, len(all))]
}

// common is the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// startError returns the recorded error of the start, or nil.
func (t transcript) startError(c Cmd) error {
	for _, e := range t.Events {
		if e.Is != isFailed {
			continue
		}
		err := errors.New(e.Text)
		if e.Why == whyMissing {
			return &NotFoundError{Name: c.Name, Err: err}
		}
		return err
	}
	return nil
}
