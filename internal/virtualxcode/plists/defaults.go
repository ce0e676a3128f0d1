package plists

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"howett.net/plist"

	"ios-agent/internal/virtualxcode/oldplist"
	"ios-agent/internal/virtualxcode/tool"
)

const defaultsUsage = "Command line interface to a user's defaults.\nSyntax:\n\n'defaults' [-currentHost | -host <hostname>] followed " +
	"by one of the following:\n\n" +
	"  read                                 shows all defaults\n  read <domain>                        shows defaults for given " +
	"domain\n  read <domain> <key>                  shows defaults for given domain, key\n\n" +
	"  read-type <domain> <key>             shows the type for the given domain, key\n\n  write <domain> <domain_rep>          writes " +
	"domain (overwrites existing)\n  write <domain> <key> <value>         writes key for domain\n\n" +
	"  delete <domain>                      deletes domain\n  delete <domain> <key>                deletes key in domain\n\n  domains  " +
	"                            lists all domains\n  import <domain> <path to plist>       writes the plist at path to domain\n" +
	"  import <domain> -                    writes a plist from stdin to domain\n" +
	"  export <domain> <path to plist>      saves domain as a binary plist to path\n" +
	"  export <domain> -                    writes domain as an xml plist to stdout\n  help                                 print this help\n"

// exitUsage is the exit status for a wrong command line.
const exitUsage = 255

// global is the domain that all programs share.
const global = "NSGlobalDomain"

// Defaults plays defaults.
func (t Tool) Defaults() int {
	argv := t.Args
	for len(argv) > 0 && (argv[0] == "-currentHost" || argv[0] == "-host") {
		argv = argv[min(len(argv), map[string]int{"-currentHost": 1, "-host": 2}[argv[0]]):]
	}
	verbs := map[string]func([]string) error{
		"read": t.read, "read-type": t.readType, "write": t.writeDefaults, "delete": t.deleteDefaults, "remove": t.deleteDefaults,
		"domains": t.domains, "export": t.export, "import": t.importDomain,
	}
	if len(argv) > 0 && argv[0] == "help" {
		fmt.Fprint(t.Stdout, defaultsUsage)
		return 0
	}
	if len(argv) == 0 || verbs[argv[0]] == nil {
		fmt.Fprint(t.Stderr, defaultsUsage)
		return exitUsage
	}
	err := verbs[argv[0]](argv[1:])
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(t.Stderr, defaultsUsage)
		return exitUsage
	case err != nil:
		fmt.Fprintf(t.Stderr, "%v\n", err)
		return exitFailed
	}
	return 0
}

// errUsage means a wrong command line.
var errUsage = errors.New("wrong arguments")

// domain removes the domain from a command line: a name, a path, -g, or -app with a name.
func domain(words []string) (name string, rest []string, err error) {
	switch {
	case len(words) > 0 && (words[0] == "-g" || words[0] == "-globalDomain" || words[0] == global):
		return global, words[1:], nil
	case len(words) > 1 && words[0] == "-app":
		return words[1], words[2:], nil
	case len(words) > 0:
		return words[0], words[1:], nil
	}
	return "", nil, errUsage
}

// file is the file of a domain: a path without its extension, or a file among the preferences.
func (t Tool) file(domain string) string {
	if filepath.IsAbs(domain) {
		return strings.TrimSuffix(domain, ".plist") + ".plist"
	}
	return filepath.Join(t.Preferences, filepath.Base(domain)+".plist")
}

func (t Tool) load(domain string) (dict, error) {
	data, err := readFile(t.file(domain))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, tool.Refuse("\nDomain %s does not exist\n", domain)
	}
	if err != nil {
		return nil, err
	}
	v, err := parse(data)
	if d, is := v.(dict); err == nil && is {
		return d, nil
	}
	return nil, tool.Refuse("\nDomain %s does not exist\n", domain) // a file without a dictionary is not a domain
}

func noPair(domain, key string) error {
	return tool.Refuse("\nThe domain/default pair of (%s, %s) does not exist", domain, key)
}

func (t Tool) read(words []string) error {
	if len(words) == 0 {
		return t.readAll()
	}
	name, rest, err := domain(words)
	if err != nil || len(rest) > 1 {
		return errUsage
	}
	d, err := t.load(name)
	if err != nil && len(rest) == 1 {
		return noPair(name, rest[0])
	}
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		fmt.Fprint(t.Stdout, oldplist.Encode(d))
		return nil
	}
	v, has := d[rest[0]]
	if !has {
		return noPair(name, rest[0])
	}
	switch v := v.(type) {
	case dict, list:
		fmt.Fprint(t.Stdout, oldplist.Encode(v))
	default:
		fmt.Fprintln(t.Stdout, oldplist.Scalar(v))
	}
	return nil
}

// names lists the stored domains.
func (t Tool) names() (all []string) {
	files, _ := filepath.Glob(filepath.Join(t.Preferences, "*.plist")) // the pattern is valid
	for _, f := range files {
		all = append(all, strings.TrimSuffix(filepath.Base(f), ".plist"))
	}
	return all
}

func (t Tool) readAll() error {
	all := dict{}
	for _, name := range t.names() {
		if d, err := t.load(name); err == nil {
			all[name] = d
		}
	}
	_, err := fmt.Fprint(t.Stdout, oldplist.Encode(all))
	return err
}

func (t Tool) domains(words []string) error {
	if len(words) > 0 {
		return errUsage
	}
	_, err := fmt.Fprintln(t.Stdout, strings.Join(t.names(), ", "))
	return err
}

func (t Tool) readType(words []string) error {
	name, rest, err := domain(words)
	if err != nil || len(rest) != 1 {
		return errUsage
	}
	d, err := t.load(name)
	v, has := d[rest[0]]
	if err != nil || !has {
		return noPair(name, rest[0])
	}
	kind := kindOf(v)
	if kind == "bool" {
		kind = "boolean"
	}
	fmt.Fprintf(t.Stdout, "Type is %s\n", kind)
	return nil
}

func (t Tool) writeDefaults(words []string) error {
	name, rest, err := domain(words)
	if err != nil || len(rest) == 0 {
		return errUsage
	}
	d, err := t.load(name)
	if err != nil {
		d = dict{}
	}
	if len(rest) == 1 { // the whole domain
		v, err := parse([]byte(rest[0]))
		whole, is := v.(dict)
		if err != nil || !is {
			return tool.Refuse("\nRep argument is not a dictionary\nDefaults have not been changed.")
		}
		return t.keep(name, whole)
	}
	if d[rest[0]], err = written(d[rest[0]], rest[1:]); err != nil {
		return err
	}
	return t.keep(name, d)
}

// export prints a domain as XML, or writes it to a file; a domain that was never written is an empty one.
func (t Tool) export(words []string) error {
	name, rest, err := domain(words)
	if err != nil || len(rest) != 1 {
		return errUsage
	}
	d, err := t.load(name)
	if err != nil {
		d = dict{}
	}
	if rest[0] != "-" {
		return writeFile(t.Path(rest[0]), d)
	}
	data, err := plist.MarshalIndent(d, plist.XMLFormat, "\t")
	if err == nil {
		_, err = t.Stdout.Write(append(data, '\n'))
	}
	return err
}

// importDomain adds the values of a property list to a domain.
func (t Tool) importDomain(words []string) error {
	name, rest, err := domain(words)
	if err != nil || len(rest) != 1 {
		return errUsage
	}
	var data []byte
	if rest[0] == "-" {
		data, err = io.ReadAll(io.LimitReader(t.Stdin, maxFile))
	} else {
		data, err = readFile(t.Path(rest[0]))
	}
	if err != nil {
		return tool.Refuse("\nCould not read %s", rest[0])
	}
	v, err := parse(data)
	added, is := v.(dict)
	if err != nil || !is || len(data) == 0 {
		return tool.Refuse("\nCould not parse the property list\nDefaults have not been changed.")
	}
	d, err := t.load(name)
	if err != nil {
		d = dict{}
	}
	maps.Copy(d, added)
	return t.keep(name, d)
}

func (t Tool) keep(domain string, d dict) error {
	file := t.file(domain)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return writeFile(file, d)
}

// written computes the new value from the command line and the old value.
func written(old any, words []string) (any, error) {
	kind, rest := strings.TrimPrefix(words[0], "-"), words[1:]
	switch {
	case words[0] == kind: // without a type, text that parses as a group is a group
		if len(rest) > 0 {
			return nil, errUsage
		}
		if text := strings.TrimSpace(kind); text != "" && strings.ContainsRune("({<", rune(text[0])) {
			if v, err := parse([]byte(text)); err == nil {
				return v, nil
			}
		}
		return kind, nil
	case kind == "array" || kind == "array-add":
		all := list{}
		if before, is := old.(list); is && kind == "array-add" {
			all = before
		}
		for _, w := range rest {
			v, err := written(nil, []string{w})
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	case kind == "dict" || kind == "dict-add":
		all := dict{}
		if before, is := old.(dict); is && kind == "dict-add" {
			all = before
		}
		if len(rest)%2 != 0 {
			return nil, tool.Refuse("\nOdd number of dictionary arguments\nDefaults have not been changed.")
		}
		for i := 0; i < len(rest); i += 2 {
			v, err := written(nil, rest[i+1:i+2])
			if err != nil {
				return nil, err
			}
			all[rest[i]] = v
		}
		return all, nil
	}
	name, known := map[string]string{"string": "string", "int": "integer", "integer": "integer", "float": "float", "bool": "bool",
		"boolean": "bool", "date": "date"}[kind]
	switch {
	case kind == "data" && len(rest) == 1:
		return hexData(rest[0])
	case !known || len(rest) != 1:
		return nil, errUsage
	}
	v, err := value(name, rest[0])
	if err != nil {
		return nil, tool.Refuse("\nUnexpected argument %s; leaving defaults unchanged.", rest[0])
	}
	return v, nil
}

func (t Tool) deleteDefaults(words []string) error {
	name, rest, err := domain(words)
	if err != nil || len(rest) > 1 {
		return errUsage
	}
	d, err := t.load(name)
	switch {
	case err != nil:
		return tool.Refuse("\nDomain (%s) not found.\nDefaults have not been changed.", name)
	case len(rest) == 0:
		return os.Remove(t.file(name))
	}
	if _, has := d[rest[0]]; !has {
		return tool.Refuse("\nDomain (%s) not found.\nDefaults have not been changed.", name)
	}
	delete(d, rest[0])
	return t.keep(name, d)
}

// hexData parses bytes in hexadecimal, as defaults accepts them.
func hexData(text string) (any, error) {
	data, err := hex.DecodeString(text)
	if err != nil {
		return nil, tool.Refuse("\nUnexpected argument %s; leaving defaults unchanged.", text)
	}
	return data, nil
}
