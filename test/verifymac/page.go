package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ios-agent/internal/apple"
	"ios-agent/internal/machine/host"
)

// tell writes the page and the file to attach, and prints the page. A disk that takes no file is on the page too.
func (t *trial) tell(interrupted bool) (code int, err error) {
	if err := t.writeTalk(); err != nil {
		t.results = append(t.results, result{
			Number: len(t.results) + 1, Name: "talk", Part: "The agent", Outcome: fails, Why: firstLine(err.Error()), Took: "0s",
			Breaks: "what was said with the agent cannot be replayed",
		})
	}
	file, err := t.write(interrupted)
	page := t.page(interrupted)
	if err != nil {
		page += fmt.Sprintf("\nThe file cannot be written: %v\nFree disk space, or name another folder with --out, and run it again.\n", err)
	} else {
		page += fmt.Sprintf("\nAttach this file to an issue: %s\n", file)
	}
	fmt.Fprint(t.out, "\n", page)
	_, stopped := t.lacks[everything]
	_, alone := t.lacks[stepCreate] // without a simulator
	switch {
	case interrupted:
		return exitInterrupted, nil
	case stopped || alone || err != nil:
		return exitRefused, nil
	case t.count(fails) > 0:
		return exitFails, nil
	}
	return exitHolds, nil
}

// write packs the results into a file in the folder that the person named, or in the folder for temporary files if that is full.
func (t *trial) write(interrupted bool) (file string, err error) {
	for name, text := range map[string]string{"page.txt": t.page(interrupted), "about.txt": t.machine()} {
		if err := os.WriteFile(t.path(name), []byte(text), 0o600); err != nil { // the rest of the file is worth having
			fmt.Fprintln(t.out, "cannot store", name, err)
		}
	}
	var wrong []error
	for _, folder := range []string{t.options.out, os.TempDir()} {
		file, packErr := filepath.Abs(filepath.Join(folder, "verify-mac-"+t.began.Format("20060102-150405")+".tar.gz"))
		if packErr == nil {
			packErr = packed{most: mostPacked, secrets: secretsOf(os.Environ())}.write(t.kept, file)
		}
		if packErr == nil {
			return file, nil
		}
		wrong = append(wrong, packErr)
	}
	return "", errors.Join(wrong...)
}

func (t *trial) count(o outcome) (n int) {
	for _, r := range t.results {
		if r.Outcome == o {
			n++
		}
	}
	return n
}

// page is the whole run for a person: what holds, what does not, what that breaks, and where to look.
func (t *trial) page(interrupted bool) string {
	var b strings.Builder
	where := map[string]string{apple.Xcode: "with Apple's tools", apple.Virtual: "on Virtual Xcode, not on a Mac"}[t.tools.Name]
	fmt.Fprintf(&b, "ios-agent %s: %d of %d steps hold, %d fail, %d were not tried; %s in all\n",
		where, t.count(holds), len(t.results), t.count(fails), t.count(notTried), time.Since(t.began).Round(time.Second))
	fmt.Fprintf(&b, "%s\n", t.about)
	if interrupted {
		fmt.Fprintln(&b, "It was interrupted: the steps after that were not tried.")
	}
	if t.advice != "" {
		fmt.Fprintf(&b, "\nWhat to do first\n%s", t.advice)
	}
	if t.count(holds) > 0 {
		fmt.Fprintln(&b, "\nWhat holds")
	}
	for _, name := range t.partNames() {
		names, took := t.held(name)
		if len(names) > 0 {
			fmt.Fprintf(&b, "  %-20s %8s  %s\n", name, took.Round(time.Millisecond), strings.Join(names, ", "))
		}
	}
	if t.count(fails) > 0 {
		fmt.Fprintln(&b, "\nWhat does not hold")
		for _, r := range t.results {
			if r.Outcome == fails {
				fmt.Fprintf(&b, "  %s: %s\n      would break: %s\n      look at:     %s\n", r.Name, r.Why, r.Breaks, r.places())
			}
		}
	}
	t.pageOfNotTried(&b)
	fmt.Fprintln(&b, "\nThe file has what all tools and the agent said, with names and paths of this Mac; secrets that can be recognized are")
	fmt.Fprintln(&b, "hidden. It is a .tar.gz whose contents.txt lists everything: look through it before you attach it.")
	return b.String()
}

// pageOfNotTried has each reason once, with the command that enables the steps and with the steps, by their parts.
func (t *trial) pageOfNotTried(b *strings.Builder) {
	if t.count(notTried) == 0 {
		return
	}
	fmt.Fprintln(b, "\nWhat was not tried")
	told := map[lack]bool{}
	for _, r := range t.results {
		why := lack{r.Why, r.Enable}
		if r.Outcome != notTried || told[why] {
			continue
		}
		told[why] = true
		fmt.Fprintf(b, "  %s\n", r.Why)
		if r.Enable != "" {
			fmt.Fprintf(b, "      to enable: %s\n", r.Enable)
		}
		for _, part := range t.partNames() {
			var names []string
			for _, r := range t.results {
				if r.Part == part && r.Outcome == notTried && why == (lack{r.Why, r.Enable}) {
					names = append(names, r.Name)
				}
			}
			if len(names) > 0 && why != t.lacks[everything] {
				fmt.Fprintf(b, "      %s: %s\n", part, strings.Join(names, ", "))
			}
		}
	}
}

// places are where to look for the reason, below the folder in the file.
func (r result) places() string {
	places := []string{r.file()}
	if n := len(r.Transcripts); n == 1 {
		places = append(places, transcripts+"/"+r.Transcripts[0])
	} else if n > 1 {
		places = append(places, fmt.Sprintf("%s/%s to %s", transcripts, r.Transcripts[0], r.Transcripts[n-1]))
	}
	if r.Talk[1] > r.Talk[0] {
		places = append(places, fmt.Sprintf("%s lines %d to %d", talkText, r.Talk[0], r.Talk[1]-1))
	}
	if r.Picture != "" {
		places = append(places, r.Picture)
	}
	return strings.Join(places, ", ")
}

func (t *trial) partNames() (names []string) {
	for _, r := range t.results {
		if !slices.Contains(names, r.Part) {
			names = append(names, r.Part)
		}
	}
	return names
}

// held are the steps of a part that hold, and how long all its steps took.
func (t *trial) held(part string) (names []string, took time.Duration) {
	for _, r := range t.results {
		if r.Part != part {
			continue
		}
		if d, err := time.ParseDuration(r.Took); err == nil { // a step that was not tried took none
			took += d
		}
		if r.Outcome == holds {
			names = append(names, r.Name)
		}
	}
	return names, took
}

// machine is what a reader of the file wants to know of the Mac.
func (t *trial) machine() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	text := fmt.Sprintf("%s\n%s %s, %d processors\nbegan %s\n", t.about, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		t.began.UTC().Format(time.RFC3339))
	for _, c := range [][]string{{"uname", "-a"}, {"sw_vers"}, {t.agent, "--version"}} {
		if r, err := t.host.Run(ctx, host.Cmd{Name: c[0], Args: c[1:], Env: t.env}); err == nil { // sw_vers is a Mac's
			text += string(r.Stdout)
		}
	}
	return text
}
