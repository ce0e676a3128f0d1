package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
)

// everyday is the first page of help: the commands that most people need, in the order of use. Each word is a verb of an operation, or
// another command.
var everyday = []struct{ heading, verbs string }{
	{"Start", "demo init doctor status"},
	{"Devices", "devices use boot"},
	{"Apps", "run test install launch terminate"},
	{"See", "snapshot get screenshot wait logs"},
	{"Act", "tap fill type swipe scroll-to back home alert batch"},
}

// The pages of help besides commands and groups.
const (
	helpAll   = "all"
	helpExits = "exit-codes"
)

// helpCommand shows the first page, a command, a group of operations, the whole list, or the exit codes.
func (a *App) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB|GROUP|all|exit-codes]",
		Short: "Show the help of a verb, of a group such as ui, of everything, or the exit codes",
		RunE: func(c *cobra.Command, args []string) error {
			return a.helpOn(c.Root(), args)
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(a.topics(c.Root()), begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (a *App) helpOn(root *cobra.Command, args []string) error {
	topic := strings.Join(args, " ")
	below, rest, err := root.Find(args)
	switch {
	case topic == "":
		a.firstPage(root)
	case topic == helpAll:
		everything(root)
	case topic == helpExits:
		say(a.Out, exitCodes())
	case err == nil && below != root && len(rest) == 0:
		below.InitDefaultHelpFlag()
		if err := below.Help(); err != nil || !a.apart(topic) {
			return err
		}
		fmt.Fprintln(a.Out)
		a.group(topic)
	case slices.Contains(a.groups(), topic):
		a.group(topic)
	default:
		f := fault.New(fault.InvalidInput, "no help on %q", topic)
		if near := nearest.To(topic, a.topics(root), 3); len(near) > 0 {
			return f.WithHint("did you mean `ios-agent help %s`?", strings.Join(near, "` or `ios-agent help "))
		}
		return f.WithHint("see `ios-agent help all`")
	}
	return nil
}

// apart reports whether a word is a group without operations below the command of the same name.
func (a *App) apart(word string) bool {
	return slices.Contains(a.groups(), word) && !slices.ContainsFunc(a.Catalogue.Ops(), func(o op.Op) bool {
		first, _, _ := strings.Cut(o.Verb, " ")
		return first == word && slices.Contains(o.Groups, word)
	})
}

// topics are the topics of help, one word each.
func (a *App) topics(root *cobra.Command) []string {
	topics := append([]string{helpAll, helpExits}, a.groups()...)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			topics = append(topics, c.Name())
		}
	}
	return topics
}

func (a *App) groups() (all []string) {
	for _, o := range a.Catalogue.Ops() {
		for _, group := range o.Groups {
			if !slices.Contains(all, group) {
				all = append(all, group)
			}
		}
	}
	return all
}

// firstPage is short, with the first words of the verbs' summaries.
func (a *App) firstPage(root *cobra.Command) {
	fmt.Fprintf(a.Out, "%s.\n\nUsage: ios-agent VERB [ARGUMENTS] [FLAGS]\n", root.Short)
	for _, part := range everyday {
		var rows [][2]string
		for name := range strings.FieldsSeq(part.verbs) {
			if c, _, err := root.Find([]string{name}); err == nil && c != root {
				rows = append(rows, [2]string{name, firstWords(c.Short)})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(a.Out, "\n%s:\n", part.heading)
			table(a.Out, rows)
		}
	}
	fmt.Fprint(a.Out, "\nMore:\n")
	table(a.Out, [][2]string{
		{"help VERB", "arguments, flags and examples of one verb"},
		{"help all", "every verb"},
		{"help GROUP", "of one group: " + strings.Join(a.coreGroups(), ", ")},
		{"help xcode", "the tools of XcodeBuildMCP, such as ios-agent xcode build-sim"},
		{"help quern", "the tools of quern"},
		{"help desktop", "windows of programs on this machine, such as ios-agent app launch mousepad"},
		{"help exit-codes", "what each exit code means to a script"},
	})
	fmt.Fprint(a.Out, "\nEvery verb takes --json (one envelope), --raw (the bare result) and --session NAME.\n")
}

// coreGroups are the groups of core operations with verbs.
func (a *App) coreGroups() (all []string) {
	for _, o := range a.Catalogue.Ops() {
		if o.Family == op.Core && o.Verb != "" && !slices.Contains(all, o.Group()) {
			all = append(all, o.Group())
		}
	}
	return all
}

// table writes two columns.
func table(out io.Writer, rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	for _, row := range rows {
		fmt.Fprintf(out, "  %-*s  %s\n", max(width, 15), row[0], row[1])
	}
}

// firstWords are the leading clauses of a summary that fit beside its verb.
func firstWords(summary string) string {
	const most = 75
	if cut := strings.IndexAny(summary, ";:"); cut > 0 {
		summary = summary[:cut]
	}
	if len(summary) <= most {
		return summary
	}
	cut := max(strings.LastIndex(summary[:most], ","), strings.LastIndex(summary[:most], " and "), strings.LastIndex(summary[:most], " or "))
	if cut > 0 {
		return strings.TrimSuffix(summary[:cut], ",")
	}
	return summary
}

// everything is the whole list, as cobra writes it.
func everything(root *cobra.Command) {
	root.InitDefaultHelpFlag()
	fmt.Fprintf(root.OutOrStdout(), "%s\n\n%s", root.Long, root.UsageString())
}

// group lists the operations of a group, of every family.
func (a *App) group(group string) {
	fmt.Fprintf(a.Out, "%s:\n", heading(group))
	var rows [][2]string
	for _, o := range a.Catalogue.Ops() {
		if o.Verb != "" && slices.Contains(o.Groups, group) {
			rows = append(rows, [2]string{o.Verb, o.Summary})
		}
	}
	table(a.Out, rows)
	fmt.Fprint(a.Out, "\n`ios-agent help VERB` describes one of them.\n")
}

// exitCodes is the table of exit codes, with the faults that each stands for.
func exitCodes() string {
	var b strings.Builder
	b.WriteString("Exit codes that scripts can rely on:\n")
	for _, e := range fault.Exits() {
		fmt.Fprintf(&b, "\n%4d  %s\n", e.Code, e.Meaning)
		line := ""
		for _, code := range e.Faults {
			if len(line)+len(code) > 90 {
				fmt.Fprintf(&b, "      %s\n", strings.TrimSuffix(line, " "))
				line = ""
			}
			line += string(code) + " "
		}
		if line != "" {
			fmt.Fprintf(&b, "      %s\n", strings.TrimSuffix(line, " "))
		}
	}
	b.WriteString("\nThe code in capitals is the first word on stderr, and error.code of the envelope with --json.")
	return b.String()
}
