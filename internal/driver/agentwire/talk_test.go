package agentwire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// keptTalk makes a client whose talk is kept, an agent that answers with the responses, and asks the requests one after the other.
func keptTalk(t *testing.T, o TalkOptions, requests []Request, responses []Response) []Saying {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), TalkFile)
	talk, err := OpenTalk(o)
	if err != nil {
		t.Fatal(err)
	}
	client, far, agent := pair(t)
	client.keep(talk)
	client.conn.SetVersion(Version)
	agent.SetVersion(Version)
	go func() {
		for _, r := range responses {
			if id, _, err := agent.ReadRequest(); err != nil || agent.WriteResponse(id, r) != nil {
				break
			}
		}
		_, _, _ = agent.ReadRequest()
		far.Close()
	}()
	for _, r := range requests {
		_, _ = client.Do(t.Context(), r)
	}
	if err := talk.Close(); err != nil {
		t.Fatal(err)
	}
	return readTalk(t, o.Path)
}

func readTalk(t *testing.T, path string) (all []Saying) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = ReadTalk(bytes.NewReader(raw), func(s Saying) error {
		all = append(all, s)
		return s.Check()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func encoded(t *testing.T, r Request) []byte {
	t.Helper()
	b, err := MarshalRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTalkHasNoSecrets: what was typed, tokens, proofs and pictures are not in the file, and what Hide hides is not.
func TestTalkHasNoSecrets(t *testing.T) {
	requests := []Request{
		&TypeText{Text: "hunter2"}, &Act{App: "shop", Input: encoded(t, &TypeText{Text: "hunter3"})}, &Key{Name: "7"}, &Key{Name: "tab"},
		&Hello{Version: 3, Token: "s3cr3t-token", Client: "c"}, &Prove{Proof: []byte("pr00f-of-it")}, &Screenshot{}, &Look{},
	}
	tree := `[{"label":"told and hush","children":[]}]`
	responses := []Response{
		&OK{}, &OK{}, &OK{}, &OK{}, &OK{}, &Challenge{Version: 3, Nonce: []byte("n"), Proof: []byte("pr00f-again")},
		&Image{PNG: []byte("p1cture")}, &Sight{Front: "shop", State: "running", JSON: tree},
	}
	hide := func(s string) string { return strings.ReplaceAll(s, "hush", "<secret>") }
	all := keptTalk(t, TalkOptions{Hide: hide}, requests, responses)
	var bytes, texts strings.Builder
	for _, s := range all {
		bytes.Write(s.Message)
		texts.WriteString(s.Text() + "\n")
	}
	for _, secret := range []string{"hunter", "s3cr3t", "pr00f", "p1cture", "hush"} {
		if strings.Contains(bytes.String(), secret) || strings.Contains(texts.String(), secret) {
			t.Errorf("%s is in the talk:\n%s", secret, texts.String())
		}
	}
	for _, want := range []string{
		`→ TypeText {"Text":"•••••••"}`, `→ Act TypeText {"Text":"•••••••"} in "shop"`, `→ Key {"Name":"•",`, `→ Key {"Name":"tab",`,
		"← OK\n", "← Image {\"PNG\":\"\"} (7 bytes not kept)", `← Sight of "shop" (running): 1 elements`,
	} {
		if !strings.Contains(texts.String(), want) {
			t.Errorf("no %s in\n%s", want, texts.String())
		}
	}
	if !strings.Contains(bytes.String(), "told and <secret>") {
		t.Error("the screen is not in the talk")
	}
	if requests[0].(*TypeText).Text != "hunter2" {
		t.Error("the request itself was changed")
	}
}

// TestTalkOfAStreamThatBreaks: the request is there, and why no answer came.
func TestTalkOfAStreamThatBreaks(t *testing.T) {
	all := keptTalk(t, TalkOptions{}, []Request{&Look{}}, nil)
	if len(all) != 2 || all[0].Name != "Look" || all[1].Is != Lost || !strings.Contains(all[1].Text(), "the stream was lost: ") {
		t.Errorf("%+v", all)
	}
}

// TestTalkOfAnAnswerThatCannotBeRead: its bytes are there, because they are what one needs.
func TestTalkOfAnAnswerThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), TalkFile)
	talk, err := OpenTalk(TalkOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	near, far := net.Pipe()
	defer near.Close()
	client := NewClient(near)
	client.keep(talk)
	go func() {
		defer far.Close()
		_, _ = io.ReadFull(far, make([]byte, 5))
		_, _ = far.Write([]byte("\x05\x00\x00\x00\xa0\x77huh"))
	}()
	_, err = client.Do(t.Context(), &Heartbeat{})
	if bad, ok := errors.AsType[*DecodeError](err); !ok {
		t.Fatalf("%v, %v", bad, err)
	}
	if all := readTalk(t, path); len(all) != 3 || !strings.Contains(all[1].Text(), "5 bytes that cannot be read") ||
		!strings.Contains(all[1].Text(), `huh"`) {
		t.Errorf("%+v", all)
	}
}

// TestTalkIsBounded: the file ends with a line that says so, also when another process goes on with it.
func TestTalkIsBounded(t *testing.T) {
	requests, responses := make([]Request, 100), make([]Response, 100)
	for i := range requests {
		requests[i], responses[i] = &SetTarget{Bundle: "a"}, &OK{}
	}
	all := keptTalk(t, TalkOptions{Most: 2000}, requests, responses)
	if last := all[len(all)-1]; len(all) > 30 || last.Is != Full || !strings.Contains(last.Text(), "nothing more was kept") {
		t.Errorf("%d lines, the last %+v", len(all), last)
	}
}

// TestCheckFindsWhatIsReadOtherwise: a message whose bytes do not mean any more what they meant.
func TestCheckFindsWhatIsReadOtherwise(t *testing.T) {
	for _, s := range []Saying{
		{Is: Said, Name: "Look", Message: encoded(t, &Heartbeat{})},
		{Is: Heard, Name: "OK", Message: []byte{0xa0, 0x77}},
		{Is: Said, Name: "Heartbeat", Message: append(encoded(t, &Heartbeat{}), 1)},
	} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
	if err := ReadTalk(strings.NewReader("{\"is\":\"said\"}\nnonsense\n"), func(Saying) error { return nil }); err == nil {
		t.Error("nonsense is read")
	}
	if err := ReadTalk(strings.NewReader("{\"is\":\"sa"), func(Saying) error { return errors.New("half a line is told") }); err != nil {
		t.Error(err)
	}
}

// shown are the texts of requests that a Talk may keep: names of things on the screen, and words of the protocol. A new text is either
// one of them, or Talk.request hides it.
var shown = strings.Fields(`TapElement.Selector TapByLabel.Label TapWithType.Selector TapWithType.Type GetValue.Selector GetValue.Type
	SetTarget.Bundle FindElement.Selector FindElement.Type Hello.Client SetValue.Value Alert.Button Button.Name Rotate.To Greet.Client
	Look.Unlike Look.Candidates Act.App Act.Aim.Type Act.Aim.Identifier Act.Aim.Label`)

func TestEveryTextOfARequestWasThoughtAbout(t *testing.T) {
	const canary = "9" // one character: a key, too, is hidden then
	talk := &Talk{hide: func(s string) string { return s }}
	for _, fresh := range requests {
		if fresh == nil {
			continue
		}
		r := fresh()
		name := typeName(r)
		fill(reflect.ValueOf(r).Elem(), canary)
		raw, err := talk.request(r)
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := UnmarshalRequest(raw)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, field := range holding(reflect.ValueOf(again).Elem(), name, canary) {
			if !slices.Contains(shown, field) {
				t.Errorf("%s is kept in the talk: hide it in Talk.request if it is typed", field)
			}
		}
	}
}

// fill puts a text into every field that can have one.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	}
}

// holding names the fields that have the text.
func holding(v reflect.Value, name, text string) (fields []string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() == text {
			fields = append(fields, name)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fields = holding(v.Elem(), name, text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			below := name + "." + v.Type().Field(i).Name
			if v.Type().Field(i).Anonymous {
				below = name
			}
			fields = append(fields, holding(v.Field(i), below, text)...)
		}
	}
	return fields
}
