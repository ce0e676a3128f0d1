package xctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ios-agent/internal/apple/simctl"
	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/wholefile"
)

var _ device.Preparer = (*phone)(nil)

// preferences turn off the features that change typed text on a simulator, and the introductions that cover the keyboard when it first
// appears. Some have a second key for the hardware keyboard, which typing may use. Keys and domains come from TIPreferencesController.
func preferences() []simctl.Preference {
	const keyboard, slide = "com.apple.keyboard.preferences", "com.apple.keyboard.ContinuousPath"
	all := []simctl.Preference{{Domain: slide, Key: "KeyboardContinuousPathEnabled", Kind: "bool", Value: "NO"}}
	for _, key := range []string{
		"KeyboardAutocorrection", "KeyboardAutocapitalization", "KeyboardCheckSpelling", "KeyboardPeriodShortcut", "KeyboardPrediction",
		"KeyboardShowPredictionBar", "KeyboardInlineCompletion", "KeyboardMathExpressionCompletion", "SmartQuotesEnabled",
		"SmartDashesEnabled", "HWKeyboardAutocorrection", "HWKeyboardAutocapitalization", "HWKeyboardPeriodShortcut",
	} {
		all = append(all, simctl.Preference{Domain: keyboard, Key: key, Kind: "bool", Value: "NO"})
	}
	for _, key := range []string{
		"DidShowContinuousPathIntroduction", "DidShowGestureKeyboardIntroduction", "KeyboardDidShowProductivityTutorial",
		"KeyboardDidShowGenmojiTip", "UIKeyboardDidShowInternationalInfoIntroduction",
	} {
		all = append(all, simctl.Preference{Domain: keyboard, Key: key, Kind: "bool", Value: "YES"})
	}
	return all
}

// Prepare writes the preferences and stores the previous values. A preference that the system refuses does not stop the others.
func (p *phone) Prepare(ctx context.Context) ([]device.Adjusted, error) {
	former := p.former()
	known, err := former.read()
	if err != nil {
		return nil, err
	}
	// The values are stored before the change: a daemon that is killed then still has the old ones.
	return p.adjust(ctx, preferences(), func(before []simctl.Preference) error {
		all := len(known)
		for _, was := range before {
			if !slices.ContainsFunc(known, was.Same) {
				known = append(known, was)
			}
		}
		if len(known) == all {
			return nil
		}
		return former.write(known)
	})
}

// Restore writes the values from before Prepare. Values that the system refuses stay stored for another try.
func (p *phone) Restore(ctx context.Context) ([]device.Adjusted, error) {
	former := p.former()
	left, err := former.read()
	if err != nil {
		return nil, err
	}
	done, err := p.adjust(ctx, left, func([]simctl.Preference) error { return nil })
	for _, a := range done {
		if a.Error == "" {
			left = slices.DeleteFunc(left, func(pref simctl.Preference) bool { return settingOf(pref) == a.Setting })
		}
	}
	if len(left) == 0 {
		return done, errors.Join(err, former.forget())
	}
	return done, errors.Join(err, former.write(left))
}

func settingOf(pref simctl.Preference) string { return pref.Domain + " " + pref.Key }

// adjust sets preferences, one domain after the other, and returns the outcomes. keep gets the values from before, before they change.
func (p *phone) adjust(ctx context.Context, all []simctl.Preference, keep func([]simctl.Preference) error) ([]device.Adjusted, error) {
	done := []device.Adjusted{}
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(pref simctl.Preference) bool { return pref.Domain != all[0].Domain })
		if end < 0 {
			end = len(all)
		}
		now, err := p.setDomain(ctx, all[:end], keep)
		for _, pref := range all[:end] {
			a := device.Adjusted{Setting: settingOf(pref), Value: pref.Value}
			if err != nil || !now.Has(pref) {
				err := p.refused(p.setOne(ctx, pref, err == nil, keep), fault.ToolFailed)
				switch {
				case err == nil:
				case fault.Is(err, fault.DeviceNotBooted) || ctx.Err() != nil:
					return done, err
				default:
					a.Error = fault.From(err).Message
				}
			}
			done = append(done, a)
		}
		all = all[end:]
	}
	return done, nil
}

// setDomain sets preferences of one domain at once, and returns what the domain has then: a simulator may ignore what it imports, and keeps
// values that an import leaves out.
func (p *phone) setDomain(ctx context.Context, all []simctl.Preference, keep func([]simctl.Preference) error) (simctl.Domain, error) {
	tool, udid := p.driver.simctl(), p.info.UDID
	before, err := tool.ReadDomain(ctx, udid, all[0].Domain)
	if err != nil {
		return before, err
	}
	var former []simctl.Preference
	missing := false
	for _, pref := range all {
		was, err := before.Preference(pref.Key)
		if err != nil {
			return before, err // setOne reports which value cannot be restored
		}
		former = append(former, was)
		missing = missing || was != pref
	}
	if err := keep(former); err != nil || !missing {
		return before, err
	}
	if err := os.MkdirAll(p.driver.Kit.Root, 0o700); err != nil {
		return before, err
	}
	p.stir()
	if err := tool.WriteDomain(ctx, udid, before, all, filepath.Join(p.driver.Kit.Root, udid+".plist")); err != nil {
		return before, err
	}
	return tool.ReadDomain(ctx, udid, all[0].Domain)
}

// setOne sets a preference by itself. Its value from before is known already, or goes to keep.
func (p *phone) setOne(ctx context.Context, pref simctl.Preference, known bool, keep func([]simctl.Preference) error) error {
	if !known {
		was, err := p.driver.simctl().ReadPreference(ctx, p.info.UDID, pref.Domain, pref.Key)
		if err == nil {
			err = keep([]simctl.Preference{was})
		}
		if err != nil {
			return err
		}
	}
	return p.changing().WritePreference(ctx, p.info.UDID, pref)
}

// former is the file with the values that a device had before Prepare.
type former string

func (p *phone) former() former {
	return former(filepath.Join(p.driver.Kit.Root, "prepared", p.info.UDID+".json"))
}

func (f former) read() (known []simctl.Preference, err error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, fault.New(fault.PathError, "cannot read the former settings: %w", err)
	}
	return known, nil
}

func (f former) write(known []simctl.Preference) error {
	data, err := json.MarshalIndent(known, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(string(f)), 0o700)
	}
	if err == nil {
		err = wholefile.Write(string(f), data)
	}
	if err != nil {
		return fmt.Errorf("cannot store the former settings: %w", err)
	}
	return nil
}

func (f former) forget() error {
	if err := os.Remove(string(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.PathError, "cannot remove the former settings: %w", err)
	}
	return nil
}
