package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ios-agent/internal/op"
)

// verb makes the command of one operation.
func (a *App) verb(o op.Op, word string) *cobra.Command {
	c := &cobra.Command{Use: word, Short: o.Summary, GroupID: o.Group(), Aliases: aliases(o), Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		input, err := inputOf(o, c.Flags(), args)
		if err != nil {
			return err
		}
		return a.run(c.Context(), a.Catalogue.ID(o), input)
	}
	if !a.names(c) {
		return c // its name is enough: reading the flags of all operations would take longer than most calls
	}
	c.Use = strings.Join(append([]string{word}, arguments(o)...), " ")
	c.Long = strings.TrimSpace(o.Summary + ". " + o.GroupsInWords() + "\n\n" + o.Help)
	for _, line := range o.Examples {
		c.Example += "  ios-agent " + line + "\n"
	}
	c.Example = strings.TrimSuffix(c.Example, "\n")
	for _, f := range o.Fields() {
		if f.NoFlag {
			continue
		}
		c.Flags().AddFlag(flag(f))
		if len(f.Enum) > 0 {
			words := cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp)
			_ = c.RegisterFlagCompletionFunc(f.Flag(), words) // fails only for a flag that is not there
		}
	}
	return c
}

// names reports whether the command line names the command, or wants them all, as a shell that completes does.
func (a *App) names(c *cobra.Command) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool {
		return arg == c.Name() || slices.Contains(c.Aliases, arg) || strings.HasPrefix(arg, cobra.ShellCompRequestCmd)
	})
}

// aliases are the tool's name as a command: agents that know the tool try it.
func aliases(o op.Op) []string {
	if o.Family != op.Core {
		return nil
	}
	name := strings.ReplaceAll(o.Name, "_", "-")
	return slices.DeleteFunc([]string{name, o.Name}, func(n string) bool { return n == o.Verb })
}

func arguments(o op.Op) []string {
	var out []string
	for _, f := range o.Fields() {
		if !f.Arg {
			continue
		}
		if f.Required {
			out = append(out, strings.ToUpper(f.Name))
		} else {
			out = append(out, "["+strings.ToUpper(f.Name)+"]")
		}
	}
	return out
}

func flag(f op.Field) *pflag.Flag {
	v := &value{field: f}
	flag := &pflag.Flag{Name: f.Flag(), Usage: f.Doc, Value: v, DefValue: f.Default}
	if len(f.Enum) > 0 {
		flag.Usage += " (" + strings.Join(f.Enum, ", ") + ")"
	}
	if f.Kind == op.Bool {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// value holds a flag as it was written. What it means is for the operation to say, so that every surface says the same.
type value struct {
	field op.Field
	texts []string
}

func (v *value) String() string { return strings.Join(v.texts, ",") }

// Set takes one occurrence of the flag; only lists take several.
func (v *value) Set(s string) error {
	if len(v.texts) > 0 && v.field.Kind != op.Strings {
		return fmt.Errorf("given twice")
	}
	v.texts = append(v.texts, s)
	return nil
}

// Type is what help prints after the flag.
func (v *value) Type() string {
	return map[op.Kind]string{op.String: "string", op.Bool: "bool", op.Int: "int", op.Float: "number", op.Strings: "strings",
		op.File: "path"}[v.field.Kind]
}

// inputOf collects flags and positional arguments into the operation's input.
func inputOf(o op.Op, flags *pflag.FlagSet, args []string) ([]byte, error) {
	input := map[string]any{}
	for _, f := range o.Fields() {
		if flags.Changed(f.Flag()) {
			v := flags.Lookup(f.Flag()).Value.(*value)
			input[f.Name] = v.texts[0]
			if f.Kind == op.Strings {
				input[f.Name] = v.texts
			}
		}
	}
	if err := op.Place(o, input, args); err != nil {
		return nil, err
	}
	return json.Marshal(input)
}
