package plists

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/virtualxcode/tool"
)

// buddy is one run of PlistBuddy.
type buddy struct {
	Tool
	file    string
	xml     bool
	root    any
	format  format
	changed bool
}

const buddyUsage = "Usage: PlistBuddy [-cxh] <file.plist>\n    -c \"<command>\" execute command, otherwise run in interactive mode\n   " +
	" -x output will be in the form of an xml plist where appropriate\n    -h print the complete help info, with command guide\n"

// PlistBuddy plays PlistBuddy.
func (t Tool) PlistBuddy() int {
	argv := t.Args
	b := buddy{Tool: t, root: dict{}, format: xml}
	var commands []string
	for i := 0; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "-h" || arg == "--help":
			fmt.Fprint(t.Stdout, buddyUsage)
			return 0
		case arg == "-x":
			b.xml = true
		case arg == "-c" && i+1 < len(argv):
			i++
			commands = append(commands, argv[i])
		case arg == "-c" || strings.HasPrefix(arg, "-"):
			fmt.Fprintf(t.Stdout, "Invalid Arguments\n\n%s", buddyUsage)
			return exitFailed
		default:
			b.file = arg
		}
	}
	if b.file == "" {
		fmt.Fprintf(t.Stdout, "Invalid Arguments\n\n%s", buddyUsage)
		return exitFailed
	}
	if exit := b.load(); exit != 0 {
		return exit
	}
	if commands == nil {
		return b.interactive()
	}
	exit := 0
	for _, c := range commands {
		if err := b.play(c); err != nil {
			fmt.Fprintln(t.Stderr, err)
			exit = exitFailed
		}
	}
	return max(exit, b.save())
}

func (b *buddy) load() int {
	data, err := readFile(b.Path(b.file))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(b.Stdout, "File Doesn't Exist, Will Create: %s\n", b.file)
		return 0
	}
	if err == nil {
		b.root, b.format, err = parse(data)
	}
	if err != nil {
		fmt.Fprintf(b.Stderr, "Unexpected character in file %s: %v\nError Reading File: %s\n", b.file, err, b.file)
		return exitFailed
	}
	return 0
}

func (b *buddy) save() int {
	if !b.changed {
		return 0
	}
	if err := writeFile(b.Path(b.file), b.root, b.format); err != nil {
		fmt.Fprintln(b.Stderr, err)
		return exitFailed
	}
	b.changed = false
	return 0
}

// interactive reads commands until there are no more; only Save keeps what they did.
func (b *buddy) interactive() int {
	lines := bufio.NewScanner(b.Stdin)
	for fmt.Fprint(b.Stdout, "Command: "); lines.Scan(); fmt.Fprint(b.Stdout, "Command: ") {
		switch command := strings.TrimSpace(lines.Text()); strings.ToLower(command) {
		case "exit", "quit", "bye":
			return 0
		case "save":
			if b.save() != 0 {
				return exitFailed
			}
			fmt.Fprintln(b.Stdout, "Saving...")
		default:
			if err := b.play(command); err != nil {
				fmt.Fprintln(b.Stdout, err)
			}
		}
	}
	return 0
}

// play does one command.
func (b *buddy) play(line string) error {
	words := split(line)
	if len(words) == 0 {
		return tool.Refuse("Unrecognized Command")
	}
	do, known := map[string]func([]string) error{
		"print": b.print, "set": b.set, "add": b.add, "delete": b.remove, "remove": b.remove, "copy": b.copy, "clear": b.clear,
		"save": func([]string) error {
			return nil
		},
	}[strings.ToLower(words[0])]
	if !known {
		return tool.Refuse("Unrecognized Command")
	}
	return do(words[1:])
}

// split splits a command into words; quotes keep words together. There may be no space between a command and its entry.
func split(line string) (words []string) {
	line = strings.TrimSpace(line)
	if i := strings.IndexAny(line, " :"); i > 0 && line[i] == ':' {
		line = line[:i] + " " + line[i:]
	}
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, r := range line {
		switch {
		case escaped && r != ':':
			word.WriteRune(r)
			escaped = false
		case escaped: // an escaped colon, which entry reads
			word.WriteString(`\:`)
			escaped = false
		case r == '\\':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && r == ' ':
			if open {
				words = append(words, word.String())
				word.Reset()
			}
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// entry splits a path such as :Types:0:Name.
func entry(text string) []string {
	const kept = "\x00"
	text = strings.TrimPrefix(strings.ReplaceAll(text, `\:`, kept), ":")
	if text == "" {
		return nil
	}
	var all []string
	for part := range strings.SplitSeq(text, ":") {
		all = append(all, strings.ReplaceAll(part, kept, ":"))
	}
	return all
}

func (b *buddy) print(words []string) error {
	where := strings.Join(words, " ")
	v, has := lookup(b.root, entry(where))
	if !has {
		return tool.Refuse("Print: Entry, %q, Does Not Exist", where)
	}
	if b.xml {
		data, err := encode(v, xml, false)
		if err != nil {
			return err
		}
		_, err = b.Stdout.Write(data)
		return err
	}
	var text strings.Builder
	buddyText(&text, v, "")
	_, err := fmt.Fprintln(b.Stdout, text.String())
	return err
}

func buddyText(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case dict:
		b.WriteString("Dict {\n")
		for _, key := range keys(v) {
			fmt.Fprintf(b, "%s    %s = ", indent, key)
			buddyText(b, v[key], indent+"    ")
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case list:
		b.WriteString("Array {\n")
		for _, one := range v {
			b.WriteString(indent + "    ")
			buddyText(b, one, indent+"    ")
			b.WriteByte('\n')
		}
		b.WriteString(indent + "}")
	case float64:
		fmt.Fprintf(b, "%f", v)
	case []byte:
		b.Write(v)
	case time.Time:
		b.WriteString(v.UTC().Format("Mon Jan 02 15:04:05 MST 2006"))
	default:
		fmt.Fprint(b, v)
	}
}

// set changes the value of an entry, which keeps its type.
func (b *buddy) set(words []string) error {
	if len(words) == 0 {
		return tool.Refuse("Unrecognized Command")
	}
	text := strings.Join(words[1:], " ")
	return b.edit(words[0], func(old any, has bool) (any, bool, error) {
		if !has {
			return nil, false, tool.Refuse("Set: Entry, %q, Does Not Exist", words[0])
		}
		v, err := value(kindOf(old), text)
		if slices.Contains([]string{"array", "dictionary"}, kindOf(old)) {
			return nil, false, tool.Refuse("Set: Cannot Perform Set On Containers")
		}
		if err != nil {
			return nil, false, tool.Refuse("Unrecognized %s Format", titles[kindOf(old)])
		}
		return v, true, nil
	}, tool.Refuse("Set: Entry, %q, Does Not Exist", words[0]))
}

var titles = map[string]string{"integer": "Integer", "float": "Real", "bool": "Bool", "date": "Date", "data": "Data"}

func (b *buddy) add(words []string) error {
	if len(words) < 2 {
		return tool.Refuse("Unrecognized Command")
	}
	if !slices.Contains([]string{"string", "array", "dict", "bool", "real", "integer", "date", "data"}, words[1]) {
		return tool.Refuse("Unrecognized Type: %s", words[1])
	}
	text := strings.Join(words[2:], " ")
	if text == "" {
		text = map[string]string{"bool": "false", "integer": "0", "real": "0", "date": "1970-01-01"}[words[1]]
	}
	v, err := value(words[1], text)
	if err != nil {
		return tool.Refuse("Unrecognized %s Format", strings.ToUpper(words[1][:1])+words[1][1:])
	}
	return b.edit(words[0], func(old any, has bool) (any, bool, error) {
		if has {
			return nil, false, tool.Refuse("Add: %q Entry Already Exists", words[0])
		}
		return v, true, nil
	}, tool.Refuse("Add: Can't Add Entry, %q, to Parent", words[0]))
}

func (b *buddy) remove(words []string) error {
	where := strings.Join(words, " ")
	missing := tool.Refuse("Delete: Entry, %q, Does Not Exist", where)
	return b.edit(where, func(_ any, has bool) (any, bool, error) {
		if !has {
			return nil, false, missing
		}
		return nil, false, nil
	}, missing)
}

func (b *buddy) copy(words []string) error {
	if len(words) != 2 {
		return tool.Refuse("Unrecognized Command")
	}
	v, has := lookup(b.root, entry(words[0]))
	if !has {
		return tool.Refuse("Copy: Entry, %q, Does Not Exist", words[0])
	}
	data, err := encode(v, xml, false)
	if err != nil {
		return err
	}
	if v, _, err = parse(data); err != nil { // its own
		return err
	}
	return b.edit(words[1], func(_ any, has bool) (any, bool, error) {
		if has {
			return nil, false, tool.Refuse("Copy: %q Entry Already Exists", words[1])
		}
		return v, true, nil
	}, tool.Refuse("Copy: Can't Add Entry, %q, to Parent", words[1]))
}

func (b *buddy) clear(words []string) error {
	v, err := value(append(words, "dict")[0], "")
	if err != nil {
		return tool.Refuse("Unrecognized Type: %s", words[0])
	}
	fmt.Fprintln(b.Stdout, "Initializing Plist...")
	b.root, b.changed = v, true
	return nil
}

// edit changes an entry; nowhere is the error of a path that does not exist.
func (b *buddy) edit(where string, do change, nowhere error) error {
	next, err := edit(b.root, entry(where), do)
	if errors.Is(err, errNoPath) {
		return nowhere
	}
	if err == nil {
		b.root, b.changed = next, true
	}
	return err
}
