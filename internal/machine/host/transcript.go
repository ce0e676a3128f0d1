package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"
)

const (
	transcriptVersion = 1
	transcriptSuffix  = ".json"
	whyTimeout        = "timeout"
	whyMissing        = "missing"
)

// The kinds of events.
const (
	isStdout = "stdout"
	isStderr = "stderr"
	isSent   = "sent"
	isExit   = "exit"
	isFailed = "failed"
)

// transcript is the record of one invocation: the file <number>-<program>.json, mode 0600, in the folder
// Options.Record. The numbers count from 000001 in the order of the calls and continue in a folder with transcripts. A file
// whose name ends in ".part" belongs to a program that still runs, or whose recorder died.
//
//	{
//	 "v": 1,                             the format; a reader refuses any other
//	 "began": "2026-01-02T15:04:05Z",
//	 "argv": ["xcrun", "simctl", "io", "booted", "screenshot", "/tmp/a.png"],
//	 "dir": "/Users/me/shop",            Cmd.Dir; absent: the recorder's
//	 "tmp": "/var/folders/x/y/T",        the recorder's temporary folder and home: invocationkey.go says why
//	 "home": "/Users/me",
//	 "env": [                            Cmd.Env, without inherited variables
//	  {"name": "DEVELOPER_DIR", "value": "/Applications/Xcode.app/Contents/Developer"},
//	  {"name": "TEST_RUNNER_TOKEN"}      a value only if secret.go allows it
//	 ],
//	 "events": [                         one a line, in order; "at" counts from the start
//	  {"at":"1.5ms","is":"stdout","text":"hello\n"},
//	  {"at":"2ms","is":"stderr","base64":"/w=="},                    bytes that are not UTF-8
//	  {"at":"2s","is":"sent","signal":"SIGINT","why":"timeout"},     the host ended it: Run's timeout, or (no why) Stop
//	  {"at":"3s","is":"exit","code":0}                               or "signal": "SIGKILL"
//	 ],
//	 "stdin": {"text": "...", "ended": true, "cut": 0},    absent without input: the first 1 MiB, whether its end was reached,
//	                                     how much more was read; a file given as it is: {"file": "/dev/tty"}
//	 "outputs": [                        Cmd.Outputs, in order
//	  {"path": "/tmp/a.png", "base64": "..."},
//	  {"path": "/tmp/b.mov", "skipped": "larger than 8 MiB"},
//	  {"path": "/tmp/c.txt", "absent": true}
//	 ],
//	 "dropped": 0                        bytes of output beyond the first 256 MiB
//	}
//
// A program that could not be started has the one event {"is":"failed","text":"start xcrun: ..."}, with "why":"missing"
// when the program does not exist. Secrets are <secret>. Files may be written by hand; unknown fields are refused,
// since they are mistakes.
type transcript struct {
	heading
	Events []event `json:"events"`
	closing
}

// heading and closing are the parts of a transcript before and after the events, which the recorder writes as they happen.
type heading struct {
	V     int       `json:"v"`
	Began time.Time `json:"began,omitzero"`
	Argv  []string  `json:"argv"`
	Dir   string    `json:"dir,omitempty"`
	Tmp   string    `json:"tmp,omitempty"`
	Home  string    `json:"home,omitempty"`
	Env   []setting `json:"env,omitempty"`
}

func headingOf(c Cmd, v *redactor) heading {
	home, _ := os.UserHomeDir() // without a home, no path is in it
	return heading{
		V: transcriptVersion, Argv: v.argv(c), Dir: v.text(c.Dir), Tmp: os.TempDir(), Home: home,
		Env: settingsOf(c.Env, v),
	}
}

type closing struct {
	Stdin   *input       `json:"stdin,omitempty"`
	Outputs []outputFile `json:"outputs,omitempty"`
	Dropped int64        `json:"dropped"`
}

type setting struct {
	Name  string  `json:"name"`
	Value *string `json:"value,omitempty"`
}

type event struct {
	At span   `json:"at"`
	Is string `json:"is"`
	content
	Code   *int   `json:"code,omitempty"`
	Signal string `json:"signal,omitempty"`
	Why    string `json:"why,omitempty"`
}

func (e event) took() time.Duration { return time.Duration(e.At) }

type input struct {
	content
	File  string `json:"file,omitempty"`
	Ended bool   `json:"ended,omitempty"`
	Cut   int64  `json:"cut,omitempty"`
}

type outputFile struct {
	Path string `json:"path"`
	content
	Skipped string `json:"skipped,omitempty"`
	Absent  bool   `json:"absent,omitempty"`
}

// content has bytes as text if they are valid UTF-8, otherwise as base64.
type content struct {
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"`
}

func contentOf(b []byte) content {
	if utf8.Valid(b) {
		return content{Text: string(b)}
	}
	return content{Base64: b}
}

func (c content) bytes() []byte {
	if len(c.Base64) > 0 {
		return c.Base64
	}
	return []byte(c.Text)
}

// span is a duration in Go's notation, such as "1.5ms".
type span time.Duration

func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

func (s *span) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	*s = span(d)
	return err
}

func decodeTranscript(r io.Reader) (transcript, error) {
	var t transcript
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return transcript{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return transcript{}, errors.New("something follows the transcript")
	}
	return t, t.check()
}

func (t transcript) check() error {
	if t.V != transcriptVersion {
		return fmt.Errorf("version %d of the format, not %d", t.V, transcriptVersion)
	}
	if len(t.Argv) == 0 {
		return errors.New("no argv")
	}
	for i, e := range t.Events {
		if _, known := play[e.Is]; !known {
			return fmt.Errorf("event %d: unknown kind %q", i+1, e.Is)
		}
		if e.Is == isExit && (e.Code == nil) == (e.Signal == "") {
			return fmt.Errorf("event %d: an exit has either a code or a signal", i+1)
		}
	}
	return nil
}
