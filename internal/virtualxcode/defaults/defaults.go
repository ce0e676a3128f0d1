// Package defaults plays the program defaults, on the Mac and on devices: property lists in a folder of preferences, or
// any property list that is named by its path. It keeps nothing in memory.
package defaults

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ios-agent/internal/virtualxcode/mark"
)

// Tool is defaults, played by this process.
type Tool struct {
	Preferences    string // the folder of the user's, or the device's, preferences
	Dir            string // what relative paths start from; empty is the process's own
	Stdout, Stderr io.Writer
}

// exits of the program.
const (
	exitFailed = 1
	exitUsage  = 255
)

// failure is a message of the program and what it exits with.
type failure struct {
	exit int
	text string
}

func (f failure) Error() string { return f.text }

func refuse(format string, a ...any) error { return failure{exitFailed, fmt.Sprintf(format, a...)} }

var errUsage = failure{exitUsage, "Command line interface to a user's defaults.\nSyntax:\n\n'defaults' [-currentHost] followed by one of: read, read-type, write, delete, domains"}

// Run plays one command line.
func (t Tool) Run(argv []string) int {
	argv = slices.DeleteFunc(slices.Clone(argv), func(a string) bool { return a == "-currentHost" })
	verbs := map[string]func(Tool, []string) error{
		"read": Tool.read, "read-type": Tool.readType, "write": Tool.write, "delete": Tool.delete, "domains": Tool.domains,
	}
	var err error = errUsage
	if len(argv) > 0 && verbs[argv[0]] != nil {
		err = verbs[argv[0]](t, argv[1:])
	}
	if err == nil {
		return 0
	}
	f := failure{exit: exitFailed, text: err.Error()}
	errors.As(err, &f)
	fmt.Fprintln(t.Stderr, f.text)
	return f.exit
}

// global is what a domain that is everybody's is called.
const global = ".GlobalPreferences"

// file is where a domain is kept: a path names a file, with or without its extension.
func (t Tool) file(domain string) string {
	if domain == "-g" || domain == "NSGlobalDomain" || domain == "-globalDomain" {
		domain = global
	}
	path := domain
	switch {
	case filepath.IsAbs(path):
	case strings.ContainsRune(path, '/'):
		path = filepath.Join(t.Dir, path)
	default:
		path = filepath.Join(t.Preferences, path)
	}
	return strings.TrimSuffix(path, ".plist") + ".plist"
}

func (t Tool) read(args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errUsage
	}
	all, err := load(t.file(args[0]))
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("\nDomain %s does not exist", args[0])
	}
	if err != nil {
		return err
	}
	if len(args) == 1 {
		return t.print(all)
	}
	v, err := t.value(args[0], args[1])
	if err != nil {
		return err
	}
	return t.print(v)
}

func (t Tool) value(domain, key string) (any, error) {
	all, err := load(t.file(domain))
	v, there := all[key]
	if err != nil || !there {
		return nil, refuse("\nThe domain/default pair of (%s, %s) does not exist", domain, key)
	}
	return v, nil
}

func (t Tool) readType(args []string) error {
	if len(args) != 2 {
		return errUsage
	}
	v, err := t.value(args[0], args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "Type is %s\n", typeOf(v))
	return nil
}

func (t Tool) write(args []string) error {
	if len(args) < 3 {
		return errUsage
	}
	file := t.file(args[0])
	all, err := load(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	v, err := parse(args[2:], all[args[1]])
	if err != nil {
		return err
	}
	all[args[1]] = v
	return save(file, all)
}

func (t Tool) delete(args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errUsage
	}
	file := t.file(args[0])
	all, err := load(file)
	if err != nil {
		return refuse("\nDomain (%s) not found.\nDefaults have not been changed.", args[0])
	}
	if len(args) == 1 {
		clear(all)
	} else if _, there := all[args[1]]; !there {
		return refuse("\nDomain (%s) not found.\nDefaults have not been changed.", args[0])
	} else {
		delete(all, args[1])
	}
	return save(file, all)
}

func (t Tool) domains(args []string) error {
	files, err := filepath.Glob(filepath.Join(t.Preferences, "*.plist"))
	if err != nil || len(args) > 0 {
		return errUsage
	}
	names := map[string]bool{}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".plist"); name != global {
			names[name] = true
		}
	}
	fmt.Fprintln(t.Stdout, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	return nil
}

// Marks says of each behaviour where it comes from.
func Marks() []mark.Mark {
	return []mark.Mark{{Tool: "defaults", Source: mark.Assumed,
		Behaviour: "read, read-type, write, delete and domains of property lists; what is not there exits 1; values are written as strings unless an option says otherwise"}}
}
