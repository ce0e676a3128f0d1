// Package cli derives the command line from the catalogue: each verb is an operation, each flag a field. App.Main runs one command line. It
// prints text for people, one JSON envelope with --json, or the bare result with --raw; results go to stdout, everything else to stderr.
// Operations run through a Caller, so that the package does not know the daemon.
package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ios-agent/internal/fault"
	"ios-agent/internal/fault/nearest"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
	"ios-agent/internal/text/oneline"
)

// App is the command line.
type App struct {
	Catalogue *op.Catalogue
	// Connect returns the Caller for a session; "" is the default session.
	Connect func(session string) (op.Caller, error)
	// Peek is Connect without side effects: its calls fail if no daemon runs. Nil: no daemon to ask.
	Peek    func(session string) (op.Caller, error)
	Version string
	Out     io.Writer
	Err     io.Writer
	In      io.Reader
	// Alone are commands that are not operations and do not need the operations' commands, which saves start-up time.
	Alone []string
	// Live says that Err is a terminal, whose lines can be rewritten.
	Live bool
	// JSON prints the envelope by default; --json=false prints text then.
	JSON bool

	ctx     context.Context
	args    []string // the current command line
	next    []string // the calls that usually follow
	asJSON  bool
	asRaw   bool
	session string
}

// status carries an exit code through cobra. All output has been printed before.
type status int

func (s status) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// Main runs one command line and returns the exit code. More are commands that are not operations.
func (a *App) Main(ctx context.Context, args []string, more ...*cobra.Command) int {
	a.ctx, a.args = ctx, a.spelled(args)
	root := a.root(more)
	root.SetArgs(a.args)
	err := root.ExecuteContext(ctx)
	var s status
	switch {
	case err == nil:
		return fault.ExitOK
	case errors.As(err, &s):
		return int(s)
	}
	return a.Refuse(args, usage(err))
}

// Refuse prints why a command line cannot run, and returns the exit code.
func (a *App) Refuse(args []string, err error) int {
	a.asJSON = a.asJSON || slices.Contains(args, "--json")
	return a.exit(op.Failed(err, op.Meta{}))
}

// usage turns an error of cobra into a fault about the command line.
func usage(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	if f, ok := fault.OfDisk(err); ok {
		return f
	}
	message, suggestion, _ := strings.Cut(err.Error(), "\n")
	if word := wordIn(message); meant()[word] != "" {
		return fault.New(fault.InvalidInput, "%s", message).WithHint("%s", meant()[word])
	}
	if _, names, near := strings.Cut(suggestion, "?\n"); near { // cobra's: "Did you mean this?", and a name a line
		return fault.New(fault.InvalidInput, "%s", message).
			WithHint("did you mean `ios-agent %s`?", strings.Join(strings.Fields(names), "` or `ios-agent "))
	}
	return fault.New(fault.InvalidInput, "%s", message).WithHint("`ios-agent help` lists the everyday commands, `ios-agent help all` the rest")
}

// wordIn is the command that cobra does not know.
func wordIn(message string) string {
	_, rest, _ := strings.Cut(message, `unknown command "`)
	word, _, _ := strings.Cut(rest, `"`)
	return word
}

// meant are verbs of other programs, each with the commands for the same purpose. A word with only one meaning is an alias instead.
func meant() map[string]string {
	all := map[string]string{
		"press":  "`ios-agent tap REF`, `ios-agent press-key KEY` or `ios-agent press-button BUTTON`",
		"scroll": "`ios-agent scroll-to --label TEXT`, or `ios-agent swipe up`",
		"start":  "`ios-agent launch NAME`, or `ios-agent run` to build it first",
		"stop":   "`ios-agent terminate NAME`, or `ios-agent daemon stop`",
		"kill":   "`ios-agent terminate NAME`",
		"log":    "`ios-agent logs`",
		"build":  "`ios-agent run` builds and launches; `ios-agent xcode build-sim` only builds",
		"input":  "`ios-agent type TEXT`, or `ios-agent fill REF TEXT`",
	}
	for _, word := range []string{"list", "ls", "ps"} {
		all[word] = "`ios-agent devices`, `ios-agent apps` or `ios-agent refs`"
	}
	for _, word := range []string{"ui", "tree", "dump", "describe", "describe-ui", "look", "see", "find", "elements"} {
		all[word] = "`ios-agent snapshot` shows the screen with a ref for every element"
	}
	return all
}

// badFlag describes the flag that was meant: the one with a wrong value, or the one with the nearest name. Without such a flag it names
// all.
func badFlag(c *cobra.Command, err error) error {
	f := fault.New(fault.InvalidInput, "%w", err)
	if wrong, is := errors.AsType[interface {
		error
		GetFlag() *pflag.Flag
	}](err); is {
		return f.WithHint("%s", withHelp(wrong.GetFlag()))
	}
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	if !is {
		return f.WithHint("`%s --help` describes each flag", c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if near := nearest.To(unknown.GetSpecifiedName(), names, 1); len(near) > 0 {
		return f.WithHint("did you mean --%s? %s", near[0], withHelp(c.Flags().Lookup(near[0])))
	}
	return f.WithHint("the flags of `%s`: --%s", c.CommandPath(), strings.Join(names, ", --"))
}

// withHelp is a flag and its help on one line.
func withHelp(flag *pflag.Flag) string { return "--" + flag.Name + ": " + oneline.Of(flag.Usage) }

func (a *App) root(more []*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "ios-agent",
		Short: "See, drive and debug apps on Apple platforms, for agents and for people",
		Long: "See, drive and debug apps on Apple platforms, for agents and for people.\n\n" +
			"Start with `ios-agent demo`, or: boot, install APP, launch NAME, snapshot, tap @e1.",
		SilenceErrors: true, SilenceUsage: true, Version: a.Version,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	whole := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			a.firstPage(root)
			return
		}
		whole(c, args)
	})
	root.SetHelpCommand(a.helpCommand())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return badFlag(c, err) })
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().BoolVar(&a.asJSON, "json", a.JSON, "print one JSON envelope")
	root.PersistentFlags().BoolVar(&a.asRaw, "raw", false, "print the bare result as JSON; errors go to stderr")
	root.PersistentFlags().StringVar(&a.session, "session", "", "client session (default: IOS_AGENT_SESSION, else this project's)")
	root.AddCommand(append(more, a.call())...)
	for _, o := range a.wanted() {
		a.addVerb(root, o)
	}
	for _, c := range root.Commands() {
		onlyCommands(c)
	}
	return root
}

// onlyCommands refuses an unknown word after a command that only has subcommands. By default cobra prints the help and succeeds.
func onlyCommands(c *cobra.Command) {
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, below := range c.Commands() {
			names = append(names, below.Name())
		}
		f := fault.New(fault.InvalidInput, "unknown command %q for %q", args[0], c.CommandPath())
		if near := nearest.To(args[0], names, 1); len(near) > 0 {
			return f.WithHint("did you mean `%s %s`?", c.CommandPath(), near[0])
		}
		return f.WithHint("the commands of `%s`: %s", c.CommandPath(), strings.Join(names, ", "))
	}
}

// firstWord is the index of the first word of a command line that is not a flag. After help, and after the words that shells use for
// completion, it is the next word. Without such a word it is len(args).
func firstWord(args []string) int {
	i := 0
	for ; i < len(args); i++ {
		switch word := args[i]; {
		case word == "--session":
			i++ // its value
		case strings.HasPrefix(word, "-") || word == "help" || strings.HasPrefix(word, cobra.ShellCompRequestCmd):
		default:
			return i
		}
	}
	return min(i, len(args))
}

// completing reports whether a shell asks for completions.
func completing(args []string) bool {
	return len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
}

// spelled replaces the bare name of another family's tool, a verb of an earlier version, by its verb.
func (a *App) spelled(args []string) []string {
	i := firstWord(args)
	if i == len(args) || completing(args) && i == len(args)-1 {
		return args
	}
	if args[i] == "version" && i == len(args)-1 {
		return append(slices.Clone(args[:i]), "--version")
	}
	for _, o := range a.Catalogue.Ops() {
		if o.Family != op.Core && slices.Contains(o.Aliases, args[i]) {
			return slices.Concat(args[:i], strings.Fields(o.Verb), args[i+1:])
		}
	}
	return args
}

// wanted are the operations whose commands are created: the operations that the first word names, none if it names a command that stands
// alone, else all. Creating all takes longer than most calls.
func (a *App) wanted() (all []op.Op) {
	var named []op.Op
	word := ""
	if i := firstWord(a.args); i < len(a.args) && !completing(a.args) && !slices.Contains(a.args[:i], "help") {
		word = a.args[i]
	}
	for _, o := range a.Catalogue.Ops() {
		if o.Verb == "" {
			continue
		}
		all = append(all, o)
		if first, _, _ := strings.Cut(o.Verb, " "); word != "" && (first == word || slices.Contains(o.Aliases, word)) {
			named = append(named, o)
		}
	}
	if len(named) > 0 || slices.Contains(a.Alone, word) {
		return named
	}
	return all
}

// addVerb adds an operation's command at the place of its verb: a verb of several words is below the first ones.
func (a *App) addVerb(root *cobra.Command, o op.Op) {
	words := strings.Fields(o.Verb)
	parent := root
	for _, word := range words[:len(words)-1] {
		i := slices.IndexFunc(parent.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
		if i < 0 {
			parent.AddCommand(&cobra.Command{Use: word, Short: "Operations of " + word, Args: cobra.NoArgs})
			i = slices.IndexFunc(parent.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
		}
		parent = parent.Commands()[i]
	}
	if group := o.Group(); !parent.ContainsGroup(group) {
		parent.AddGroup(&cobra.Group{ID: group, Title: heading(group) + ":"})
	}
	parent.AddCommand(a.verb(o, words[len(words)-1]))
	if parent != root && !parent.Runnable() {
		parent.Short = summaryOf(parent, o)
	}
}

// summaryOf a command with subcommands is their names, or below another family's word the family's name.
func summaryOf(parent *cobra.Command, o op.Op) string {
	if o.Family == parent.Name() {
		return fmt.Sprintf("The tools of %s by their own names, such as %s", o.Family, parent.Commands()[0].Name())
	}
	var names []string
	for _, c := range parent.Commands() {
		names = append(names, c.Name())
	}
	if o.Family != op.Core {
		return heading(o.Family) + ": " + strings.Join(names, ", ")
	}
	if len(names) == 1 {
		return o.Summary
	}
	return heading(parent.Name()) + ": " + strings.Join(names, ", ")
}

// heading formats a group's name for help: short names are abbreviations.
func heading(group string) string {
	if len(group) <= 2 {
		return strings.ToUpper(group)
	}
	said := strings.ToUpper(group[:1]) + strings.ReplaceAll(group[1:], "-", " ")
	return strings.NewReplacer("Macos", "macOS", "Ui ", "UI ").Replace(said)
}

// call reaches any operation with JSON input.
func (a *App) call() *cobra.Command {
	return &cobra.Command{
		Use:   "call NAME [JSON|-]",
		Short: "Call any operation by name, with its input as JSON (- reads it from stdin)",
		Args:  cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			input := []byte("{}")
			if len(args) == 2 {
				input = []byte(args[1])
			}
			if string(input) == "-" {
				read, err := io.ReadAll(io.LimitReader(a.In, 16<<20))
				if err != nil {
					return fault.New(fault.InvalidInput, "cannot read stdin: %w", err)
				}
				input = read
			}
			return a.run(c.Context(), args[0], input)
		},
	}
}

func (a *App) run(ctx context.Context, name string, input []byte) error {
	o, unknown := a.Catalogue.Lookup(name)
	caller, err := a.caller(o)
	if err != nil {
		return err
	}
	if unknown == nil && o.Streams() {
		return a.finishStream(caller.Stream(ctx, name, input, func(item json.RawMessage) error {
			text, ok := o.ItemText(item)
			if !ok || a.asJSON || a.asRaw {
				text = string(item)
			}
			text = wording.Shell(a.Catalogue).Say(text)
			_, err := fmt.Fprintln(a.Out, text)
			return err
		}))
	}
	input, document, err := a.toStdout(o, input)
	if err != nil {
		return err
	}
	show, done := a.progress(cmp.Or(o.Verb, name))
	e := caller.Call(ctx, name, input, show)
	done()
	voice := wording.Shell(a.Catalogue)
	said := voice.Envelope(e, input)
	if document != nil {
		return document.finish(a, said)
	}
	a.next = voice.Next(e, input)
	return a.Finish(said)
}

// caller runs an operation: in this process, if the daemon is not needed.
func (a *App) caller(o op.Op) (op.Caller, error) {
	switch {
	case o.Passive && a.Peek != nil:
		return a.Peek(a.session)
	case !o.Offline:
		return a.Connect(a.session)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot find the working folder: %w", err)
	}
	return op.Local{Catalogue: a.Catalogue, Session: a.session, Dir: dir, Stdin: a.In}, nil
}

// finishStream prints nothing when a stream ended well: stdout has items only.
func (a *App) finishStream(e op.Envelope) error {
	if e.Error == nil {
		return nil
	}
	return a.Finish(e)
}

// Finish prints an answer and turns it into an exit code for cobra.
func (a *App) Finish(e op.Envelope) error {
	if code := a.exit(e); code != fault.ExitOK {
		return status(code)
	}
	return nil
}

func (a *App) exit(e op.Envelope) int {
	e = wording.Shell(a.Catalogue).Envelope(e, nil) // only for faults of the command line itself
	e.Images = nil
	if code := a.interrupted(e); code != 0 {
		if a.asJSON {
			a.exitJSON(e)
		}
		fmt.Fprintln(a.Err, "interrupted; the daemon may still finish the work: `ios-agent status` shows it")
		return code
	}
	if a.asRaw {
		return a.exitRaw(e)
	}
	if a.asJSON {
		return a.exitJSON(e)
	}
	beside := a.Out
	if e.Error != nil || e.Document {
		beside = a.Err
		say(a.Out, strings.TrimSuffix(e.Stdout, "\n"))
		e.Stdout = ""
	}
	say(beside, e.Text())
	if len(a.next) > 0 && e.Error == nil {
		say(beside, "next: "+strings.Join(a.next, ", "))
	}
	return e.ExitCode()
}

func (a *App) exitJSON(e op.Envelope) int {
	out := json.NewEncoder(a.Out)
	out.SetEscapeHTML(false)
	if err := out.Encode(e); err != nil {
		fmt.Fprintln(a.Err, err)
		return fault.ExitInternal
	}
	return e.ExitCode()
}

// Signalled is the cause of a context that a signal ended.
type Signalled struct{ Number int }

func (s Signalled) Error() string { return fmt.Sprintf("signal %d", s.Number) }

// interrupted is the exit code of a call that its caller interrupted; 0 if it was not interrupted.
func (a *App) interrupted(e op.Envelope) int {
	if e.Error == nil || e.Error.Code != fault.Cancelled || a.ctx == nil || a.ctx.Err() == nil {
		return 0
	}
	if by := (Signalled{}); errors.As(context.Cause(a.ctx), &by) {
		return 128 + by.Number
	}
	return fault.ExitInterrupted
}

func say(to io.Writer, text string) {
	if text != "" {
		fmt.Fprintln(to, text)
	}
}

// exitRaw prints the result without its envelope, for programs. A fault may come with a result.
func (a *App) exitRaw(e op.Envelope) int {
	say(a.Out, string(e.Result))
	e.Stdout, e.Document = "", false
	say(a.Err, e.Text())
	return e.ExitCode()
}

// Say prints the answer of a command that is not an operation: text for people, result for programs.
func (a *App) Say(text string, result any) error {
	e := op.Succeeded(result, op.Meta{})
	e.Stdout = text
	return a.Finish(e)
}
