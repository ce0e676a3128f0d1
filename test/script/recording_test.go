package script

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var record = flag.Bool("record", false, "rewrite docs/demo.svg from what the demo prints")

// TestRecordingShowsTheDemo holds docs/demo.svg to what `ios-agent demo` prints: each line of the picture is a line of the demo.
func TestRecordingShowsTheDemo(t *testing.T) {
	const picture = "../../docs/demo.svg"
	printed := demo(t)
	if *record {
		if err := os.WriteFile(picture, svg(part(printed)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, svg(part(printed))) {
		t.Errorf("%s does not show what the demo prints: run go test ./test/script -run TestRecording -record", picture)
	}
}

func demo(t *testing.T) []string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "h")
	if err := copied.put(home); err != nil {
		t.Fatal(err)
	}
	environ := append(os.Environ(), "HOME="+filepath.Dir(home), "IOS_AGENT_HOME="+home, "IOS_AGENT_TOOLCHAIN=virtual",
		"IOS_AGENT_VIRTUAL_TIME=request", "IOS_AGENT_PREWARM=off")
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "ios-agent"), args...)
		cmd.Env, cmd.Dir = environ, filepath.Dir(home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("ios-agent %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	text := run("demo")
	run("daemon", "stop")
	run("virtual", "stop")
	return strings.Split(text, "\n")
}

// part are the lines from the first outline to the end of the log-in, which differ in no run.
func part(lines []string) []string {
	begin := slices.Index(lines, "$ ios-agent snapshot")
	end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "# a picture") })
	if begin < 0 || end < begin {
		return nil
	}
	return lines[begin:end]
}

// svg is a terminal in which the lines come one by one.
func svg(lines []string) []byte {
	const row, margin, width, columns = 18, 16, 860, 104
	var b bytes.Buffer
	height := 2*margin + row*len(lines)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n",
		width, height, width, height)
	b.WriteString(`<title>ios-agent drives an app: it reads the screen, fills in a form, and says what each step changed</title>` + "\n")
	b.WriteString("<style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#d6dde6;white-space:pre;" +
		"opacity:0;animation:s 1ms forwards}" +
		".c{fill:#7ee2a8}.r{fill:#8b97a7}@keyframes s{to{opacity:1}}@media(prefers-reduced-motion){text{animation-delay:0s!important}}</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#12161c"/>`+"\n", width, height)
	delay := 0.3
	for i, line := range lines {
		class := ""
		switch {
		case strings.HasPrefix(line, "$ "):
			class, delay = ` class="c"`, delay+0.9
		case strings.HasPrefix(line, "# "):
			class = ` class="r"`
		}
		if line != "" {
			fmt.Fprintf(&b, `<text x="%d" y="%d"%s style="animation-delay:%.2fs">%s</text>`+"\n", margin, margin+row*i+13, class, delay,
				html.EscapeString(clipped(line, columns)))
		}
		delay += 0.06
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func clipped(line string, columns int) string {
	if letters := []rune(line); len(letters) > columns {
		return string(letters[:columns-1]) + "…"
	}
	return line
}
