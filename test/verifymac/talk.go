package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/test/agenttalk"
)

// talkText is the talk with the agent in words.
const talkText = "talk.txt"

func (t *trial) talkFile() string { return t.path(path.Join(transcripts, agentwire.TalkFile)) }

// talkLines is how many frames have been kept so far.
func (t *trial) talkLines() int {
	raw, err := os.ReadFile(t.talkFile())
	if err != nil {
		return 0 // the talk has no frames yet
	}
	return bytes.Count(raw, []byte("\n"))
}

// writeTalk puts the talk in words beside the frames.
func (t *trial) writeTalk() error {
	text, err := talkOf(t.talkFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(t.path(talkText), []byte(text), 0o600)
}

// talkOf reads a file of frames, one per line. A frame that this program reads differently from the program that recorded it is an error.
func talkOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var text strings.Builder
	var wrong []error
	err = agenttalk.Read(f, func(s agentwire.Saying) error {
		fmt.Fprintln(&text, strings.ReplaceAll(agenttalk.Text(s), "\n", " "))
		if err := agenttalk.Check(s); err != nil && len(wrong) < 10 {
			wrong = append(wrong, err)
		}
		return nil
	})
	return text.String(), errors.Join(append(wrong, err)...)
}

// printTalk prints the talk of a file that an earlier run wrote.
func printTalk(o options, out io.Writer) (int, error) {
	if err := unpack(o.talk, o.work); err != nil {
		return exitRefused, err
	}
	text, err := talkOf(filepath.Join(o.work, "verify-mac", transcripts, agentwire.TalkFile))
	if errors.Is(err, fs.ErrNotExist) {
		return exitRefused, errors.New("this run has no talk with an agent")
	}
	fmt.Fprint(out, text)
	if err != nil {
		fmt.Fprintln(out, err)
		return exitFails, nil
	}
	return exitHolds, nil
}
