// Command decider is a program that decides by rules, for the scripts that test `ios-agent connect`: decider FILE. A line of the file is
// REGEXP => ANSWER; the first line whose expression matches the last event and the screen gives the answer, with $1 for its first group.
// Two answers are special: die ends the program, and hang writes the file "asked" and then waits.
//
// decider FILE anthropic ADDRESS, or openai, serves the same rules as an endpoint of that kind and writes its base URL to the file
// ADDRESS. Its first answer is that it is busy.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

type rule struct {
	when   *regexp.Regexp
	answer string
}

func main() {
	rules, err := read(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 2 {
		fmt.Fprintln(os.Stderr, serve(rules, os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	turns := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := turns.ReadBytes('\n')
		if err != nil {
			return
		}
		var t struct {
			Screen string
			Last   struct{ Text string }
		}
		if err := json.Unmarshal(line, &t); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(answer(rules, t.Last.Text+"\n"+t.Screen))
	}
}

func read(path string) ([]rule, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rules []rule
	for line := range strings.Lines(string(raw)) {
		when, answer, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok {
			continue
		}
		re, err := regexp.Compile(when)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule{re, answer})
	}
	return rules, nil
}

func answer(rules []rule, seen string) string {
	for _, r := range rules {
		found := r.when.FindStringSubmatchIndex(seen)
		if found == nil {
			continue
		}
		switch r.answer {
		case "die":
			fmt.Fprintln(os.Stderr, "I have had enough")
			os.Exit(3)
		case "hang":
			if err := os.WriteFile("asked", []byte("yes"), 0o600); err != nil {
				os.Exit(1)
			}
			time.Sleep(time.Hour)
		}
		return string(r.when.ExpandString(nil, r.answer, seen, found))
	}
	return `{"action": "fail", "message": "no rule fits"}`
}
