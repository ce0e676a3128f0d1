package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ios-agent/internal/op"
	"ios-agent/internal/text/oneline"
)

// completeTime is the maximum time that a shell waits for values from the daemon after a tab.
const completeTime = time.Second

// source is the origin of an input's values: an operation that lists things, and the words for each of them.
type source struct {
	op    string
	list  string // key of the list in the result
	words func(thing map[string]any) []string
}

// sources are the inputs whose values an operation lists, by their names.
func sources() map[string]source {
	apps := func(key, by string) source { return source{"list_apps", "apps", described(key, by)} }
	devices := func(key, by string) source { return source{"list_devices", "devices", described(key, by)} }
	all := map[string]source{
		"ref":    {"list_refs", "refs", described("ref", "what")},
		"device": devices("name", "udid"),
		"url":    apps("name", "bundle_id"),
	}
	all["bundle_id"], all["bundleId"] = apps("name", "bundle_id"), apps("bundle_id", "name")
	for _, name := range []string{"sim", "simulatorName"} {
		all[name] = devices("name", "udid")
	}
	for _, name := range []string{"udid", "simulatorId", "deviceId"} {
		all[name] = devices("udid", "name")
	}
	return all
}

// described offers a thing by one of its fields, described by another.
func described(key, by string) func(map[string]any) []string {
	return func(thing map[string]any) []string {
		word, _ := thing[key].(string)
		more, _ := thing[by].(string)
		if word == "" || !typable(word) {
			return nil
		}
		return []string{word + "\t" + strings.ReplaceAll(oneline.Of(more), "\t", " ")}
	}
}

// typable reports whether a foreign word may be put on a command line: one line, printable, and not a flag.
func typable(word string) bool {
	return word == oneline.Of(word) && !strings.Contains(word, "\t") && !strings.HasPrefix(word, "-")
}

// complete returns the values of an input that begin with the typed text: its enum, values listed by the daemon, or files.
func (a *App) complete(o op.Op, f op.Field) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		if f.Kind == op.File {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return beginning(a.values(c, o, f), begun), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeArgs returns the values of the next argument. An argument with a fixed set of words leaves other words to the argument after it.
func (a *App) completeArgs(o op.Op) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) (words []string, files cobra.ShellCompDirective) {
		files = cobra.ShellCompDirectiveNoFileComp
		placed := map[string]any{}
		if op.Place(o, placed, args) != nil {
			return nil, files
		}
		for _, f := range o.Fields() {
			if _, is := placed[f.Name]; is && f.Kind != op.Strings || !f.Arg {
				continue
			}
			if f.Kind == op.File {
				files = cobra.ShellCompDirectiveDefault
			}
			words = append(words, a.values(c, o, f)...)
			if f.Match == nil {
				break
			}
		}
		return beginning(words, begun), files
	}
}

// values are all known values of an input. It asks a running daemon, briefly, and never starts one.
func (a *App) values(c *cobra.Command, o op.Op, f op.Field) []string {
	from, listed := sources()[f.Name]
	if len(f.Enum) > 0 || !listed || a.Peek == nil {
		return f.Enum
	}
	lister, err := a.Catalogue.Lookup(from.op)
	if err != nil {
		return nil
	}
	caller, err := a.Peek(a.session)
	if err != nil {
		return nil
	}
	input, err := json.Marshal(shared(c.Flags(), o, lister))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.Context(), completeTime)
	defer cancel()
	e := caller.Call(ctx, from.op, input, nil)
	var result map[string]json.RawMessage
	var things []map[string]any
	if e.Error != nil || json.Unmarshal(e.Result, &result) != nil || json.Unmarshal(result[from.list], &things) != nil {
		return nil
	}
	var words []string
	for _, thing := range things {
		words = append(words, from.words(thing)...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// shared are the flags of a command line that another operation takes too, such as the device's.
func shared(flags *pflag.FlagSet, o, other op.Op) map[string]any {
	given := map[string]any{}
	for _, f := range o.Fields() {
		takes := slices.ContainsFunc(other.Fields(), func(g op.Field) bool { return g.Name == f.Name })
		if v, is := valueOf(flags, f.Flag()); is && takes && (f.Name == "udid" || f.Name == "sim") {
			given[f.Name] = v.texts[0]
		}
	}
	return given
}

func beginning(words []string, begun string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return len(word) < len(begun) || !strings.EqualFold(word[:len(begun)], begun)
	})
}
