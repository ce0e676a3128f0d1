package sips_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/virtualxcode/sips"
	"ios-agent/internal/virtualxcode/tool"
)

func run(args ...string) (stderr string, exit int) {
	var out, err bytes.Buffer
	exit = sips.Run(tool.Call{Args: args, Stdout: &out, Stderr: &err})
	return err.String(), exit
}

func TestSipsShrinksPNGToJPEG(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.jpg")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 300, 600))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if stderr, exit := run("-Z", "200", "-s", "format", "jpeg", "-s", "formatOptions", "75", in, "--out", out); exit != 0 {
		t.Fatalf("%d %s", exit, stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	small, format, err := image.Decode(f)
	if err != nil || format != "jpeg" || small.Bounds() != image.Rect(0, 0, 100, 200) {
		t.Errorf("%v %s %v", small.Bounds(), format, err)
	}
}

// TestResampleIgnoresProportions: -z has the height first, and keeps no proportions.
func TestResampleIgnoresProportions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 300, 600))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, picture.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if stderr, exit := run("-z", "400", "150", path); exit != 0 {
		t.Fatalf("got exit %d: %s", exit, stderr)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := png.DecodeConfig(bytes.NewReader(raw)); err != nil || got.Width != 150 || got.Height != 400 {
		t.Errorf("got %d×%d, %v; want 150×400", got.Width, got.Height, err)
	}
	for _, args := range [][]string{{"-z", "0", "9", path}, {"-z", "9", path}, {"-z", "9", "x", path}, {"-z", "99999", "9", path}} {
		if stderr, exit := run(args...); exit != 13 {
			t.Errorf("%v: got exit %d: %s", args, exit, stderr)
		}
	}
}

func TestInvalidArgumentsExitWith13(t *testing.T) {
	text := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(text, []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"/no/such.png"}, {text}, {"-Z", "x", text}, {"--rotate", "90", text}} {
		if stderr, exit := run(args...); exit != 13 || !strings.HasPrefix(stderr, "Error: ") {
			t.Errorf("%v: %d %s", args, exit, stderr)
		}
	}
}
