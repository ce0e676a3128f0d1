package plists

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ios-agent/internal/machine/wholefile"
	"ios-agent/internal/virtualxcode/tool"
)

// plutil is one command line of it.
type plutil struct {
	Tool
	verb   string
	words  []string // what belongs to the verb
	out    string   // -o
	ext    string   // -e
	expect string
	pretty bool // -r
	silent bool // -s
	bare   bool // -n: no line feed after a raw value
	files  []string
}

// plutilVerbs are the commands and how many words each takes.
var plutilVerbs = map[string]int{"-convert": 1, "-p": 0, "-lint": 0, "-extract": 2, "-replace": 3, "-insert": 3, "-remove": 1,
	"-type": 1, "-create": 1}

const plutilHelp = "plutil: [command_option] [other_options] file...\nThe file '-' means stdin\nCommand options are (-lint is the " +
	"default):\n" +
	" -help  show this message and exit\n -lint  check the property list files for syntax errors\n -convert fmt  rewrite property list " +
	"files in format (xml1, binary1, json)\n" +
	" -insert keypath -type value\n -replace keypath -type value\n -remove keypath\n -extract keypath fmt\n -type keypath\n -create " +
	"fmt\n -p  print property list in a human-readable fashion\n"

// Plutil plays plutil.
func (t Tool) Plutil() int {
	p, err := t.parsePlutil(t.Args)
	if err != nil {
		fmt.Fprintf(t.Stderr, "%v\n%s", err, plutilHelp)
		return exitFailed
	}
	if p.verb == "-help" {
		fmt.Fprint(t.Stdout, plutilHelp)
		return 0
	}
	exit := 0
	for _, file := range p.files {
		if err := p.do(file); err != nil {
			exit = exitFailed
			to := t.Stderr
			if p.verb == "-lint" {
				to = t.Stdout
			}
			if !p.silent {
				fmt.Fprintf(to, "%s: %v\n", name(file), err)
			}
		}
	}
	return exit
}

func (t Tool) parsePlutil(argv []string) (p plutil, err error) {
	p = plutil{Tool: t, verb: "-lint"}
	for i := 0; i < len(argv); i++ {
		arg, rest := argv[i], argv[i+1:]
		words, isVerb := plutilVerbs[arg]
		switch {
		case arg == "-help":
			p.verb = arg
			return p, nil
		case isVerb && len(rest) < words:
			return p, tool.Refuse("%s requires %d arguments", arg, words)
		case isVerb:
			p.verb, p.words = arg, rest[:words]
			if words == 3 && slices.Contains([]string{"-array", "-dictionary", "-dict"}, rest[1]) {
				words = 2 // an empty one has no value
				p.words = append(slices.Clone(rest[:2]), "")
			}
			i += words
		case (arg == "-o" || arg == "-e" || arg == "-expect") && len(rest) > 0:
			*map[string]*string{"-o": &p.out, "-e": &p.ext, "-expect": &p.expect}[arg] = rest[0]
			i++
		case arg == "-r" || arg == "-s" || arg == "-n":
			*map[string]*bool{"-r": &p.pretty, "-s": &p.silent, "-n": &p.bare}[arg] = true
		case arg == "--":
			p.files = append(p.files, rest...)
			i = len(argv)
		case strings.HasPrefix(arg, "-") && arg != "-":
			return p, tool.Refuse("unrecognized option: %s", arg)
		default:
			p.files = append(p.files, arg)
		}
	}
	if len(p.files) == 0 {
		return p, tool.Refuse("No files specified.")
	}
	return p, nil
}

// name is what the tool calls a file.
func name(file string) string {
	if file == "-" {
		return "<stdin>"
	}
	return file
}

func (p plutil) do(file string) error {
	if p.verb == "-create" {
		f, err := formatCalled(p.words[0])
		if err != nil {
			return err
		}
		return p.write(file, dict{}, f)
	}
	v, was, err := p.load(file)
	if err != nil {
		return err
	}
	return map[string]func(string, any, format) error{
		"-lint": p.lint, "-p": p.show, "-convert": p.convert, "-extract": p.extract, "-type": p.kind,
		"-replace": p.alter, "-insert": p.alter, "-remove": p.alter,
	}[p.verb](file, v, was)
}

func (p plutil) load(file string) (v any, f format, err error) {
	var data []byte
	if file == "-" {
		data, err = io.ReadAll(io.LimitReader(p.Stdin, maxFile))
	} else {
		data, err = readFile(p.Path(file))
	}
	if err != nil {
		return nil, "", tool.Refuse("file does not exist or is not readable or is not a regular file (Error "+
			"Domain=NSCocoaErrorDomain Code=260 "+
			"\"The file “%s” couldn’t be opened because there is no such file.\")", filepath.Base(file))
	}
	v, f, err = parse(data)
	if err != nil {
		return nil, "", tool.Refuse("Property List error: %v / JSON error: JSON text did not start with array or object and "+
			"option to allow "+
			"fragments not set.", err)
	}
	return v, f, nil
}

func (p plutil) lint(file string, _ any, _ format) error {
	if !p.silent {
		fmt.Fprintf(p.Stdout, "%s: OK\n", name(file))
	}
	return nil
}

func formatCalled(text string) (format, error) {
	if f := format(text); f == xml || f == binary || f == jsonF {
		return f, nil
	}
	return "", tool.Refuse("Unknown format specifier: %s", text)
}

func (p plutil) convert(file string, v any, _ format) error {
	f, err := formatCalled(p.words[0])
	if err != nil {
		return err
	}
	return p.write(file, v, f)
}

// write puts a property list where it was asked for: over its own file, if nothing was said.
func (p plutil) write(file string, v any, f format) error {
	data, err := encode(v, f, p.pretty)
	if err != nil {
		return err
	}
	to := p.out
	switch {
	case to == "" && p.ext != "":
		to = strings.TrimSuffix(file, filepath.Ext(file)) + "." + p.ext
	case to == "":
		to = file
	}
	if to == "-" {
		_, err := p.Stdout.Write(data)
		return err
	}
	return wholefile.Write(p.Path(to), data)
}

// path splits a key path; a backslash keeps a dot.
func path(text string) []string {
	const kept = "\x00"
	var all []string
	for part := range strings.SplitSeq(strings.ReplaceAll(text, `\.`, kept), ".") {
		all = append(all, strings.ReplaceAll(part, kept, "."))
	}
	return all
}

func (p plutil) extract(file string, v any, _ format) error {
	found, has := lookup(v, path(p.words[0]))
	if !has {
		return tool.Refuse("Could not extract value, error: No value at that key path or invalid key path: %s", p.words[0])
	}
	if p.expect != "" && p.expect != kindOf(found) {
		return tool.Refuse("Could not extract value, error: Value at [%s] expected to be %s but is %s", p.words[0], p.expect, kindOf(found))
	}
	if p.words[1] != "raw" {
		f, err := formatCalled(p.words[1])
		if err != nil {
			return err
		}
		return p.write(file, found, f)
	}
	text := raw(found)
	if !p.bare {
		text += "\n"
	}
	if p.out == "" || p.out == "-" {
		_, err := io.WriteString(p.Stdout, text)
		return err
	}
	return os.WriteFile(p.Path(p.out), []byte(text), 0o644)
}

// raw is a value for a shell: of a list how many there are, of a dictionary its keys.
func raw(v any) string {
	switch v := v.(type) {
	case dict:
		return strings.Join(keys(v), "\n")
	case list:
		return strconv.Itoa(len(v))
	case []byte:
		return base64.StdEncoding.EncodeToString(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

func (p plutil) kind(_ string, v any, _ format) error {
	found, has := lookup(v, path(p.words[0]))
	if !has {
		return tool.Refuse("Could not extract value, error: No value at that key path or invalid key path: %s", p.words[0])
	}
	fmt.Fprintln(p.Stdout, kindOf(found))
	return nil
}

// alter replaces, inserts or removes a value.
func (p plutil) alter(file string, v any, was format) error {
	var fresh any
	if p.verb != "-remove" {
		var err error
		if fresh, err = value(strings.TrimPrefix(p.words[1], "-"), p.words[2]); err != nil {
			return tool.Refuse("Failed to parse value for %s: %v", p.words[1], err)
		}
	}
	next, err := edit(v, path(p.words[0]), func(_ any, has bool) (any, bool, error) {
		switch {
		case p.verb == "-insert" && has:
			return nil, false, tool.Refuse("Could not modify plist, error: Key path already exists %s", p.words[0])
		case p.verb == "-remove" && !has:
			return nil, false, errNoPath
		}
		return fresh, p.verb != "-remove", nil
	})
	if errors.Is(err, errNoPath) {
		return tool.Refuse("Could not modify plist, error: No value to %s at path %s", strings.TrimPrefix(p.verb, "-"), p.words[0])
	}
	if err != nil {
		return err
	}
	return p.write(file, next, was)
}

// show prints a property list for people.
func (p plutil) show(_ string, v any, _ format) error {
	var b strings.Builder
	human(&b, v, "")
	_, err := fmt.Fprintln(p.Stdout, b.String())
	return err
}

func human(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case dict:
		b.WriteString("{\n")
		for _, key := range keys(v) {
			fmt.Fprintf(b, "%s  %q => ", indent, key)
			human(b, v[key], indent+"  ")
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case list:
		b.WriteString("[\n")
		for i, one := range v {
			fmt.Fprintf(b, "%s  %d => ", indent, i)
			human(b, one, indent+"  ")
			b.WriteByte('\n')
		}
		b.WriteString(indent + "]")
	case string:
		b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(v) + `"`)
	case []byte:
		fmt.Fprintf(b, "{length = %d, bytes = 0x%s}", len(v), hex.EncodeToString(v))
	case time.Time:
		b.WriteString(v.UTC().Format("2006-01-02 15:04:05 -0700"))
	case float64:
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		fmt.Fprint(b, v)
	}
}
