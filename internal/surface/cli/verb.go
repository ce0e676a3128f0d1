package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

// verb creates the command of one operation.
func (a *App) verb(o op.Op, word string) *cobra.Command {
	c := &cobra.Command{Use: word, Short: o.Summary, GroupID: o.Group(), Aliases: aliases(o), Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		input, err := inputOf(o, c.Flags(), args)
		if err != nil {
			return err
		}
		if on, _ := c.Flags().GetBool(follow); on && o.Follow != "" {
			return a.run(c.Context(), o.Follow, input)
		}
		for _, i := range o.Instead {
			if on, _ := c.Flags().GetBool(i.Flag); on {
				return a.instead(c.Context(), o, i, input)
			}
		}
		return a.run(c.Context(), a.Catalogue.ID(o), input)
	}
	if !a.names(c) {
		return c // the name is enough: building the flags of all operations takes longer than most calls
	}
	c.Use = strings.Join(append([]string{word}, arguments(o)...), " ")
	c.Long = wording.Shell(a.Catalogue).Say(strings.TrimSpace(o.Summary + ". " + o.GroupsInWords() + "\n\n" + o.Help))
	for _, line := range o.Examples {
		c.Example += "  ios-agent " + line + "\n"
	}
	c.Example = strings.TrimSuffix(c.Example, "\n")
	for _, f := range o.Fields() {
		if f.NoFlag {
			continue
		}
		c.Flags().AddFlag(a.flag(f))
		_ = c.RegisterFlagCompletionFunc(f.Flag(), a.complete(o, f)) // fails only for an unknown flag
	}
	for _, s := range o.Shorts() {
		v := &value{field: op.Field{Name: s.Input, Kind: op.String}, again: completing(a.args)}
		c.Flags().AddFlag(&pflag.Flag{Name: s.Flag, Usage: s.Doc, Value: v, Hidden: s.Elsewhere != ""})
	}
	if o.Follow != "" {
		c.Flags().BoolP(follow, follow[:1], false, "keep printing new items until interrupted")
	}
	for _, i := range o.Instead {
		c.Flags().Bool(i.Flag, false, i.Doc)
	}
	for _, f := range o.Fields() {
		if short := f.TimeFlag(); short != "" && !f.NoFlag && c.Flags().Lookup(short) == nil {
			c.Flags().AddFlag(timeFlag(f))
			c.Flags().Lookup(f.Flag()).Hidden = true
		}
	}
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName { // --projectPath is --project-path
		return pflag.NormalizedName(op.Field{Name: name}.Flag())
	})
	c.ValidArgsFunction = a.completeArgs(o)
	return c
}

// instead calls the operation that a flag stands for. Where the verb runs without a question and that operation does not, it returns the
// command to type instead.
func (a *App) instead(ctx context.Context, o op.Op, i op.Instead, input []byte) error {
	other, err := a.Catalogue.Lookup(i.Op)
	if err != nil {
		return err
	}
	if !o.Unattended() || other.Unattended() {
		return a.run(ctx, i.Op, input)
	}
	var given map[string]any
	if err := json.Unmarshal(input, &given); err != nil {
		return err
	}
	return fault.New(fault.InvalidInput, "--%s needs a person's consent: clients run `ios-agent %s` without asking", i.Flag, o.Verb).
		With("field", i.Flag).WithDispatch(fault.NotDispatched).WithHint("%s", hint.Of(a.Catalogue.ID(other), given))
}

// follow is the flag for operations that a stream continues.
const follow = "follow"

// names reports whether the command line names the command.
func (a *App) names(c *cobra.Command) bool {
	return slices.ContainsFunc(a.args, func(arg string) bool { return arg == c.Name() || slices.Contains(c.Aliases, arg) })
}

// aliases are the other words for the command at the same place. Words of other families have other places: see spelled.
func aliases(o op.Op) []string {
	if o.Family != op.Core {
		return nil
	}
	return o.Aliases
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

func (a *App) flag(f op.Field) *pflag.Flag {
	v := &value{field: f, again: completing(a.args)}
	flag := &pflag.Flag{Name: f.Flag(), Usage: f.Doc, Value: v, DefValue: f.Default}
	if len(f.Enum) > 0 {
		flag.Usage += " (" + strings.Join(f.Enum, ", ") + ")"
	}
	if f.Unit > 0 {
		flag.Usage += " (a number is " + f.UnitWord() + ")"
	}
	if f.Kind == op.Bool {
		flag.NoOptDefVal = "true"
	}
	return flag
}

// timeFlag is the flag of a time without a unit in its name. Help shows this flag; the field's own stays for old scripts.
func timeFlag(f op.Field) *pflag.Flag {
	flag := &pflag.Flag{Name: f.TimeFlag(), Usage: f.Doc + " (a number is seconds)", Value: &value{field: f, seconds: true}}
	if ms, err := strconv.ParseFloat(f.Default, 64); err == nil {
		flag.DefValue = strconv.FormatFloat(ms/1000, 'f', -1, 64)
	}
	return flag
}

// value holds a flag as written. The operation interprets it, so that every surface agrees.
type value struct {
	field   op.Field
	seconds bool // the unit of a plain number
	again   bool // shells that complete read the flags twice
	texts   []string
}

func (v *value) String() string { return strings.Join(v.texts, ",") }

// Set takes one occurrence of the flag; only lists take several.
func (v *value) Set(s string) error {
	if len(v.texts) > 0 && v.field.Kind != op.Strings && !v.again {
		return errors.New("given twice")
	}
	if v.seconds {
		s = op.InSeconds(s)
	}
	v.texts = append(v.texts, s)
	return nil
}

// Type is what help prints after the flag.
func (v *value) Type() string {
	if v.field.Unit > 0 {
		return "time"
	}
	return map[op.Kind]string{op.String: "string", op.Bool: "bool", op.Int: "int", op.Float: "number", op.Strings: "strings",
		op.File: "path", op.Nested: "json", op.Any: "value"}[v.field.Kind]
}

// valueOf is a flag that was given.
func valueOf(flags *pflag.FlagSet, name string) (*value, bool) {
	if name == "" || !flags.Changed(name) {
		return nil, false
	}
	v, ok := flags.Lookup(name).Value.(*value)
	return v, ok
}

// inputOf collects flags and positional arguments into the operation's input.
func inputOf(o op.Op, flags *pflag.FlagSet, args []string) ([]byte, error) {
	input := map[string]any{}
	for _, f := range o.Fields() {
		for _, name := range []string{f.Flag(), f.TimeFlag()} {
			v, given := valueOf(flags, name)
			if !given || v.field.Name != f.Name {
				continue
			}
			if _, twice := input[f.Name]; twice {
				return nil, fault.New(fault.InvalidInput, "--%s and --%s name the same input", f.Flag(), name).With("field", f.Name).
					WithHint("give one of them")
			}
			input[f.Name] = f.Word(v.texts[0])
			if f.Kind == op.Strings {
				input[f.Name] = v.texts
			}
		}
	}
	for _, s := range o.Shorts() {
		if v, given := valueOf(flags, s.Flag); given {
			if err := s.Put(o, input, v.texts[0]); err != nil {
				return nil, err
			}
		}
	}
	if err := op.Place(o, input, args); err != nil {
		return nil, err
	}
	return json.Marshal(input)
}
