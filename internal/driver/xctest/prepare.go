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
	return p.adjust(ctx, preferences(), func(pref simctl.Preference) error {
		if !slices.ContainsFunc(known, pref.Same) {
			was, err := p.driver.simctl().ReadPreference(ctx, p.info.UDID, pref.Domain, pref.Key)
			if err != nil {
				return err
			}
			known = append(known, was)
			if err := former.write(known); err != nil { // store it before the change: a daemon that is killed then still has the old value
				return err
			}
		}
		return p.changing().WritePreference(ctx, p.info.UDID, pref)
	})
}

// Restore writes the values from before Prepare. Values that the system refuses stay stored for another try.
func (p *phone) Restore(ctx context.Context) ([]device.Adjusted, error) {
	former := p.former()
	known, err := former.read()
	if err != nil {
		return nil, err
	}
	left := slices.Clone(known)
	done, err := p.adjust(ctx, known, func(pref simctl.Preference) error {
		if err := p.changing().WritePreference(ctx, p.info.UDID, pref); err != nil {
			return err
		}
		left = slices.DeleteFunc(left, pref.Same)
		return nil
	})
	if len(left) == 0 {
		return done, errors.Join(err, former.forget())
	}
	return done, errors.Join(err, former.write(left))
}

// adjust applies do to each preference and returns the outcomes.
func (p *phone) adjust(ctx context.Context, all []simctl.Preference, do func(simctl.Preference) error) ([]device.Adjusted, error) {
	done := []device.Adjusted{}
	for _, pref := range all {
		a := device.Adjusted{Setting: pref.Domain + " " + pref.Key, Value: pref.Value}
		if err := p.refused(do(pref), fault.ToolFailed); err != nil {
			if fault.Is(err, fault.DeviceNotBooted) || ctx.Err() != nil {
				return done, err
			}
			a.Error = fault.From(err).Message
		}
		done = append(done, a)
	}
	return done, nil
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
