package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/daemon/product"
	"ios-agent/test/house"
)

// TestDoctorReportsBrokenSettings: what is wrong with the files of a project, by either doctor; the first line of an answer that has
// the mistake is the mistake, once.
func TestDoctorReportsBrokenSettings(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for folder, text := range map[string]string{".ios-agent": "tools: [simulatr]\n", ".xcodebuildmcp": "enabledWorkflows: {a: 1}\n"} {
		if err := os.MkdirAll(filepath.Join(h.Home.String(), folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.Home.String(), folder, "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, doctor := range []string{"doctor", "xcode_doctor"} {
		said := h.Must("s", doctor, nil).Stdout
		for _, want := range []string{`unknown tool set "simulatr"`, "enabledWorkflows must be a list of texts"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q:\n%s", doctor, want, said)
			}
		}
	}
	const mistake = "config.yaml:1: tools must be a list of texts"
	for _, set := range []string{"core", "xcode", "all"} {
		c := h.MCP("s", product.Serving{Tools: set, Mistakes: mistake})
		for _, name := range []string{"list_devices"} {
			text := textOf(t, c, name, map[string]any{})
			if first, _, _ := strings.Cut(text, "\n"); first != "config: "+mistake || strings.Count(text, mistake) != 1 {
				t.Errorf("%s, %s: %q", set, name, text)
			}
		}
	}
}
