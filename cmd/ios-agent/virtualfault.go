//go:build !novirtual

package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ios-agent/internal/fault"
	"ios-agent/internal/virtualxcode"
)

// forever is the word for a fault that stays until it is cleared.
const forever = "forever"

func (p *program) faultCommand() *cobra.Command {
	c := &cobra.Command{Use: "fault", Short: "Make something go wrong on the virtual devices, on demand", Args: cobra.NoArgs}
	c.AddCommand(p.faultAdd(), p.faultList(), p.faultChaos(),
		&cobra.Command{Use: "clear [NAME]", Short: "Disarm all faults, or the faults of one name", Args: cobra.MaximumNArgs(1),
			RunE: p.withService(p.clearFaults)})
	return c
}

func (p *program) faultAdd() *cobra.Command {
	var f virtualxcode.Fault
	var times string
	var set []string
	add := &cobra.Command{Use: "add NAME", Short: "Arm a fault; `fault list --known` lists the faults", Args: cobra.ExactArgs(1),
		RunE: p.withService(func(ctx context.Context, s virtualxcode.Client, args []string) (err error) {
			f.Name = args[0]
			if f.Times, err = timesOf(times); err != nil {
				return err
			}
			if f.Set, err = pairs(set); err != nil {
				return err
			}
			if err := s.AddFault(ctx, f); err != nil {
				return fault.New(fault.InvalidInput, "%w", err).WithHint("`ios-agent virtual fault list --known` lists what can be " +
					"armed and set")
			}
			return p.app.Say("armed "+describeFault(f), f)
		})}
	add.Flags().StringVar(&f.Device, "device", "", "udid of the device (default: any)")
	add.Flags().StringVar(&times, "times", "1", "how often it happens, or forever: until it is cleared")
	add.Flags().IntVar(&f.After, "after", 0, "how many occasions pass before it first happens")
	add.Flags().StringArrayVar(&set, "set", nil, "a detail, as name=value; may be repeated")
	return add
}

func timesOf(text string) (int, error) {
	if text == forever {
		return virtualxcode.Forever, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fault.New(fault.InvalidInput, "times is %q: it is a number from 1, or %s", text, forever)
	}
	return n, nil
}

func pairs(set []string) (map[string]string, error) {
	values := map[string]string{}
	for _, one := range set {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return nil, fault.New(fault.InvalidInput, "%q sets nothing: it must look like seconds=5", one)
		}
		values[name] = value
	}
	return values, nil
}

func (p *program) faultList() *cobra.Command {
	var known bool
	ofService := p.withService(func(ctx context.Context, s virtualxcode.Client, _ []string) error {
		st, err := s.Status(ctx)
		if err != nil {
			return serviceFault(err)
		}
		lines := describeFaults(st)
		if len(lines) == 0 {
			lines = []string{"no faults are armed"}
		}
		return p.app.Say(strings.Join(lines, "\n"), map[string]any{"faults": st.Faults, "chaos": st.Chaos})
	})
	list := &cobra.Command{Use: "list", Short: "List the armed faults, or all there are", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if known {
				return p.sayKnownFaults()
			}
			return ofService(c, args)
		}}
	list.Flags().BoolVar(&known, "known", false, "list all faults that can be armed")
	return list
}

// knownFault is a kind of fault as JSON.
type knownFault struct {
	Name    string   `json:"name"`
	Does    string   `json:"does"`
	Each    string   `json:"occasion"`
	Set     []string `json:"set"`
	Report  string   `json:"report"`
	Passing bool     `json:"passing"` // chaos may use it
}

func (p *program) sayKnownFaults() error {
	var lines []string
	all := []knownFault{}
	for _, k := range virtualxcode.KnownFaults() {
		one := knownFault{Name: k.Name, Does: k.Does, Each: k.Each, Set: []string{}, Report: k.Report, Passing: k.Passing}
		lines = append(lines, k.Name, "    "+k.Does, "    each time: "+k.Each)
		for _, param := range k.Params {
			one.Set = append(one.Set, param.Describe())
			lines = append(lines, "    --set "+param.Describe())
		}
		lines = append(lines, "    from: "+k.Report)
		all = append(all, one)
	}
	return p.app.Say(strings.Join(lines, "\n"), map[string]any{"known": all})
}

func (p *program) clearFaults(ctx context.Context, s virtualxcode.Client, args []string) error {
	name := strings.Join(args, "")
	if err := s.ClearFaults(ctx, name); err != nil {
		return fault.New(fault.InvalidInput, "%w", err)
	}
	st, err := s.Status(ctx)
	if err != nil {
		return serviceFault(err)
	}
	return p.app.Say(strings.TrimSpace(name+" no faults are armed"), map[string]any{"faults": st.Faults})
}

func (p *program) faultChaos() *cobra.Command {
	to := virtualxcode.Chaos{On: true}
	chaos := &cobra.Command{Use: "chaos [off]",
		Short: "Let temporary faults happen at random: the same seed and requests give the same faults",
		Args:  cobra.MaximumNArgs(1), ValidArgs: []string{"off"}}
	chaos.Flags().Uint64Var(&to.Seed, "seed", 1, "seed of the random faults")
	chaos.Flags().Float64Var(&to.Rate, "rate", virtualxcode.DefaultChaosRate,
		"share of the occasions on which a fault happens, from 0 to 1")
	chaos.Flags().StringSliceVar(&to.Only, "only", nil, "names of the faults, separated by commas (default: all that a retry overcomes)")
	chaos.RunE = p.withService(func(ctx context.Context, s virtualxcode.Client, args []string) error {
		if len(args) == 1 {
			if args[0] != "off" {
				return fault.New(fault.InvalidInput, "chaos does not take %q: start it with --seed, or give off", args[0])
			}
			to = virtualxcode.Chaos{}
		}
		if err := s.SetChaos(ctx, to); err != nil {
			return fault.New(fault.InvalidInput, "%w", err)
		}
		return p.app.Say(describeChaos(to), map[string]any{"chaos": to})
	})
	return chaos
}

func describeFaults(s virtualxcode.Status) (lines []string) {
	for _, f := range s.Faults {
		lines = append(lines, "fault "+describeFault(f))
	}
	if s.Chaos != nil {
		lines = append(lines, describeChaos(*s.Chaos))
	}
	return lines
}

func describeFault(f virtualxcode.Fault) string {
	times := strconv.Itoa(f.Times) + " times"
	if f.Times == virtualxcode.Forever {
		times = forever
	}
	text := fmt.Sprintf("%s, %s, %s", f.Name, times, cmp.Or(f.Device, "any device"))
	if f.After > 0 {
		text += fmt.Sprintf(", after %d occasions", f.After)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Set)) {
		text += ", " + name + "=" + f.Set[name]
	}
	return text
}

func describeChaos(c virtualxcode.Chaos) string {
	if !c.On {
		return "chaos is off"
	}
	text := fmt.Sprintf("chaos with seed %d, rate %v", c.Seed, c.Rate)
	if len(c.Only) > 0 {
		text += ", only " + strings.Join(c.Only, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Hits)) {
		text += fmt.Sprintf("\n    %s happened %d times", name, c.Hits[name])
	}
	return text
}
