package host_test

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
)

func TestTranscriptsHoldNoSecrets(t *testing.T) {
	const inherited, token, flagged, assigned, borne = "inherited-s3cret", "t0ken-of-the-agent", "fl4gged-s3cret",
		"4ssigned-s3cret", "b0rne-s3cret"
	t.Setenv("SOME_API_KEY", inherited)
	out := filepath.Join(t.TempDir(), "out")
	c := helper("leak", out, "--auth-token", flagged, "DB_PASSWORD="+assigned, "Authorization: Bearer "+borne, "x"+token)
	c.Env = append(c.Env, "TEST_RUNNER_AGENT_TOKEN="+token, "TEST_RUNNER_PORT=8100", "DEVELOPER_DIR=/Xcode", "OTHER=0ther-value")
	c.Stdin = strings.NewReader("stdin " + token)
	c.Outputs = []string{out}
	dir := t.TempDir()
	real, err := open(t, host.Options{Record: dir}).Run(t.Context(), c)
	if err != nil || !strings.Contains(string(real.Stdout), token) {
		t.Fatalf("%v: the helper told nothing: %q", err, real.Stdout)
	}
	text := grep(t, dir, inherited, token, flagged, assigned, borne)
	for _, want := range []string{"/Xcode", `"8100"`, `"OTHER"`, `"TEST_RUNNER_AGENT_TOKEN"`, "file <secret>", "stdin <secret>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	// The same invocation with other secrets finds it.
	c = helper("leak", out, "--auth-token", "another one", "DB_PASSWORD=x", "Authorization: Bearer y", "x"+"n0t-the-same")
	c.Env = append(c.Env, "TEST_RUNNER_AGENT_TOKEN=n0t-the-same")
	c.Stdin, c.Outputs = strings.NewReader(""), []string{out}
	if r, err := open(t, host.Options{Replay: dir}).Run(t.Context(), c); err != nil || content(out) != "file <secret>" {
		t.Errorf("%v, %q", err, r.Stdout)
	}
}

// grep fails when a file in dir holds one of the words, and returns the text of them all.
func grep(t *testing.T, dir string, words ...string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if i, err := d.Info(); err != nil || i.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, i.Mode(), err)
		}
		all.WriteString(content(path))
		return nil
	})
	if err != nil || all.Len() == 0 {
		t.Fatalf("nothing to look at: %v", err)
	}
	for _, w := range words {
		for _, form := range []string{w, base64.StdEncoding.EncodeToString([]byte(w))} {
			if strings.Contains(all.String(), form) {
				t.Errorf("%q is in %s", form, all.String())
			}
		}
	}
	return all.String()
}

func TestRecordSkipsLargeAndAbsentOutputs(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "big"), make([]byte, 8<<20+1), 0o600); err != nil {
		t.Fatal(err)
	}
	recording := open(t, host.Options{Record: dir})
	for _, output := range []string{"big", "."} {
		c := named("exit", "0", output)
		c.Dir, c.Outputs = work, []string{output}
		if _, err := recording.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.Dir = t.TempDir()
		_, err := open(t, host.Options{Replay: dir}).Run(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "not in the transcript") || len(entries(t, c.Dir)) > 0 {
			t.Errorf("%s: %v", output, err)
		}
	}
}

func TestCloseReportsFailedRecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "record")
	h, err := host.New(host.Options{Record: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context(), helper("exit", "0")); err != nil {
		t.Error(err)
	}
	if err := h.Close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nobody was told: %v", err)
	}
}

// TestAnUnsafeRecordIsRefused: transcripts are not written where others could change them.
func TestAnUnsafeRecordIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := host.New(host.Options{Record: dir})
	if f := fault.From(err); err == nil || f.Code != fault.PathError || !strings.Contains(f.Hint, "chmod go-w") {
		t.Error(err)
	}
}
