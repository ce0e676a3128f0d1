package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/machine/host"
	"ios-agent/internal/machine/self"
)

// selfCommand puts this program where shells and clients find it.
func (p *program) selfCommand() *cobra.Command {
	c := &cobra.Command{Use: "self", Short: "install, update: this program on the PATH"}
	var to, from, sum string
	install := &cobra.Command{
		Use: "install", Short: "Copy this program to a folder on the PATH", Args: cobra.NoArgs,
		Long: "Copies this program to a folder of your own on the PATH: ~/.local/bin, ~/bin or ~/go/bin, the first that is there, or the\n" +
			"folder of --to. An older ios-agent is replaced at once; another file of that name is left alone.",
		Example: "  ios-agent self install\n  ios-agent self install --to /usr/local/bin",
		RunE:    func(*cobra.Command, []string) error { return p.install(to) },
	}
	install.Flags().StringVar(&to, "to", "", "the folder")
	update := &cobra.Command{
		Use: "update", Short: "Replace this program by the one in a file", Args: cobra.NoArgs,
		Long: "Replaces this program by the one in a file: a tarball of a release, or a program. A file " + self.Sums + " beside it must\n" +
			"have its checksum, or --sha256 gives it. It refuses other programs, and ios-agent for another system. A daemon that runs is\n" +
			"replaced by the next call.",
		Example: "  ios-agent self update --from dist/ios-agent_linux_amd64.tar.gz",
		RunE:    func(*cobra.Command, []string) error { return p.update(from, sum) },
	}
	update.Flags().StringVar(&sum, "sha256", "", "the file's checksum, as the release tells it")
	update.Flags().StringVar(&from, "from", "", "the file: a .tar.gz or a program")
	c.AddCommand(install, update)
	return c
}

func (p *program) install(dir string) error {
	if dir == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return fault.New(fault.PathError, "the home folder: %w", err).WithHint("name a folder with `--to`")
		}
		dir = binFolder(user)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fault.New(fault.PathError, "%w", err)
	}
	placed, err := self.Install(dir)
	if err != nil {
		return err
	}
	text := "installed " + placed.Path
	if !placed.Changed {
		text = "nothing to do: " + placed.Path + " is this build"
	}
	where, err := installed()
	if err != nil {
		return err
	}
	onPath := samePlace(where.onPath, placed.Path)
	switch {
	case onPath:
		text += ", which is on the PATH"
	case where.onPath != "":
		text += "\nthe PATH has " + where.onPath + " before it"
	default:
		text += "\n" + dir + " is not on the PATH: add  export PATH=\"" + dir + ":$PATH\"  to your shell's start file"
	}
	return p.app.Say(text, map[string]any{"path": placed.Path, "changed": placed.Changed, "on_path": onPath})
}

func (p *program) update(from, sum string) error {
	if from == "" {
		return fault.New(fault.InvalidInput, "--from is missing").With("field", "from").
			WithHint("`ios-agent self update --from ios-agent_linux_amd64.tar.gz`")
	}
	placed, err := self.Update(from, sum)
	if err != nil {
		return err
	}
	text := "updated " + placed.Path + "; a daemon that runs is replaced by the next call"
	if !placed.Changed {
		text = "nothing to do: " + placed.Path + " is this build"
	}
	return p.app.Say(text, placed)
}

// place is where this program is.
type place struct {
	running string // its own file
	onPath  string // what its name leads to in a shell; "" when it leads nowhere
}

func installed() (place, error) {
	running, err := os.Executable()
	if err != nil {
		return place{}, fault.New(fault.PathError, "the running program: %w", err)
	}
	return place{running: running, onPath: host.Find(self.Name)}, nil
}

func samePlace(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// binFolder is where a user's own programs go: the first usual folder that is on the PATH.
func binFolder(user string) string {
	usual := []string{filepath.Join(user, ".local", "bin"), filepath.Join(user, "bin"), filepath.Join(user, "go", "bin")}
	for _, dir := range usual {
		if slices.Contains(filepath.SplitList(os.Getenv("PATH")), dir) {
			return dir
		}
	}
	return usual[0]
}
