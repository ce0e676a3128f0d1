package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/fault"
)

func TestApplyRefusesChangedFiles(t *testing.T) {
	for name, path := range map[string]string{"appeared": "project/.mcp.json", "changed": "user/.codex/config.toml"} {
		t.Run(name, func(t *testing.T) {
			o := place(t, map[string]string{"user/.codex/config.toml": "a = 1\n"})
			changes := planned(t, o)
			write(t, filepath.Join(filepath.Dir(o.Dir), path), "b = 2\n")
			before := files(t, o)
			if err := Apply(changes); !fault.Is(err, fault.PathError) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v", err)
			}
			if after := files(t, o); len(after) != len(before) || after[path] != "b = 2\n" {
				t.Errorf("it wrote: %q", after)
			}
		})
	}
}

func TestApplyRefusesRemovedFile(t *testing.T) {
	o := place(t, map[string]string{"user/.codex/config.toml": ""})
	changes := planned(t, o)
	if err := os.Remove(o.UserHome + "/.codex/config.toml"); err != nil {
		t.Fatal(err)
	}
	if err := Apply(changes); !fault.Is(err, fault.PathError) {
		t.Fatalf("got %v", err)
	}
}

func TestApplyWritesThroughSymlink(t *testing.T) {
	o := place(t, map[string]string{"user/dotfiles/codex.toml": "a = 1\n", "user/.codex/x": ""})
	link := o.UserHome + "/.codex/config.toml"
	if err := os.Symlink("../dotfiles/codex.toml", link); err != nil {
		t.Fatal(err)
	}
	if err := Apply(planned(t, o)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
	if got := files(t, o)["user/dotfiles/codex.toml"]; got != "a = 1\n\n"+ours {
		t.Errorf("got %q", got)
	}
}

func TestApplyRefusesDanglingSymlink(t *testing.T) {
	o := place(t, map[string]string{"user/.codex/x": ""})
	o.Clients = []string{"codex"}
	if err := os.Symlink("gone.toml", o.UserHome+"/.codex/config.toml"); err != nil {
		t.Fatal(err)
	}
	if err := Apply(planned(t, o)); !fault.Is(err, fault.PathError) || !strings.Contains(err.Error(), "link") {
		t.Fatalf("got %v", err)
	}
}

func TestPlanRefusesFolderInPlaceOfFile(t *testing.T) {
	o := place(t, map[string]string{"project/.mcp.json/x": "", "project/.claude": ""})
	o.Clients = []string{"claude-code"}
	if changes, err := Plan(o); !fault.Is(err, fault.PathError) || len(changes) != 0 {
		t.Fatalf("got %v, %v", changes, err)
	}
}
