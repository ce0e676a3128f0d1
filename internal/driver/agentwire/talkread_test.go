package agentwire_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ios-agent/internal/driver/agentwire"
	"ios-agent/test/agenttalk"
)

// keptTalk makes a client whose talk is kept, an agent that answers with the responses, and asks the requests one after the other.
func keptTalk(t *testing.T, o agentwire.TalkOptions, requests []agentwire.Request, responses []agentwire.Response) []agentwire.Saying {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), agentwire.TalkFile)
	talk, err := agentwire.OpenTalk(o)
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	t.Cleanup(func() { near.Close(); far.Close() })
	client, agent := talk.Client(near), agentwire.NewConn(far)
	client.SetVersion(agentwire.Version)
	agent.SetVersion(agentwire.Version)
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

func readTalk(t *testing.T, path string) (all []agentwire.Saying) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = agenttalk.Read(bytes.NewReader(raw), func(s agentwire.Saying) error {
		all = append(all, s)
		return agenttalk.Check(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func encoded(t *testing.T, r agentwire.Request) []byte {
	t.Helper()
	b, err := agentwire.MarshalRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTalkHasNoSecrets: typed text, tokens, proofs and pictures are not in the file, nor is text that Hide removes.
func TestTalkHasNoSecrets(t *testing.T) {
	requests := []agentwire.Request{
		&agentwire.TypeText{Text: "hunter2"}, &agentwire.Act{App: "shop", Input: encoded(t, &agentwire.TypeText{Text: "hunter3"})},
		&agentwire.Key{Name: "7"}, &agentwire.Key{Name: "tab"},
		&agentwire.Hello{Version: 3, Token: "s3cr3t-token", Client: "c"}, &agentwire.Prove{Proof: []byte("pr00f-of-it")},
		&agentwire.Screenshot{}, &agentwire.Look{},
	}
	tree := `[{"label":"told and hush","children":[]}]`
	responses := []agentwire.Response{
		&agentwire.OK{}, &agentwire.OK{}, &agentwire.OK{}, &agentwire.OK{}, &agentwire.OK{},
		&agentwire.Challenge{Version: 3, Nonce: []byte("n"), Proof: []byte("pr00f-again")},
		&agentwire.Image{PNG: []byte("p1cture")}, &agentwire.Sight{Front: "shop", State: "running", JSON: tree},
	}
	hide := func(s string) string { return strings.ReplaceAll(s, "hush", "<secret>") }
	all := keptTalk(t, agentwire.TalkOptions{Hide: hide}, requests, responses)
	var bytes, texts strings.Builder
	for _, s := range all {
		bytes.Write(s.Message)
		texts.WriteString(agenttalk.Text(s) + "\n")
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
	if requests[0].(*agentwire.TypeText).Text != "hunter2" {
		t.Error("the request itself was changed")
	}
}

// TestTalkRecordsReasonOfLostStream: the file has the request, and the reason for the missing answer.
func TestTalkRecordsReasonOfLostStream(t *testing.T) {
	all := keptTalk(t, agentwire.TalkOptions{}, []agentwire.Request{&agentwire.Look{}}, nil)
	if len(all) != 2 || all[0].Name != "Look" || all[1].Is != agentwire.Lost ||
		!strings.Contains(agenttalk.Text(all[1]), "the stream was lost: ") {
		t.Errorf("%+v", all)
	}
}

// TestTalkRecordsBytesOfUnreadableAnswer: the file has its bytes, for debugging.
func TestTalkRecordsBytesOfUnreadableAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), agentwire.TalkFile)
	talk, err := agentwire.OpenTalk(agentwire.TalkOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	near, far := net.Pipe()
	defer near.Close()
	client := talk.Client(near)
	go func() {
		defer far.Close()
		_, _ = io.ReadFull(far, make([]byte, 5))
		_, _ = far.Write([]byte("\x05\x00\x00\x00\xa0\x77huh"))
	}()
	_, err = client.Do(t.Context(), &agentwire.Heartbeat{})
	if bad, ok := errors.AsType[*agentwire.DecodeError](err); !ok {
		t.Fatalf("%v, %v", bad, err)
	}
	if all := readTalk(t, path); len(all) != 3 || !strings.Contains(agenttalk.Text(all[1]), "5 bytes that cannot be read") ||
		!strings.Contains(agenttalk.Text(all[1]), `huh"`) {
		t.Errorf("%+v", all)
	}
}

// TestTalkIsBounded: the file ends with a line that says so, also when another process continues it.
func TestTalkIsBounded(t *testing.T) {
	requests, responses := make([]agentwire.Request, 100), make([]agentwire.Response, 100)
	for i := range requests {
		requests[i], responses[i] = &agentwire.SetTarget{Bundle: "a"}, &agentwire.OK{}
	}
	all := keptTalk(t, agentwire.TalkOptions{Most: 2000}, requests, responses)
	if last := all[len(all)-1]; len(all) > 30 || last.Is != agentwire.Full ||
		!strings.Contains(agenttalk.Text(last), "nothing more was kept") {
		t.Errorf("%d lines, the last %+v", len(all), last)
	}
}

// TestCheckDetectsMismatchedMessageBytes: a message whose bytes no longer decode to the recorded message.
func TestCheckDetectsMismatchedMessageBytes(t *testing.T) {
	for _, s := range []agentwire.Saying{
		{Is: agentwire.Said, Name: "Look", Message: encoded(t, &agentwire.Heartbeat{})},
		{Is: agentwire.Heard, Name: "OK", Message: []byte{0xa0, 0x77}},
		{Is: agentwire.Said, Name: "Heartbeat", Message: append(encoded(t, &agentwire.Heartbeat{}), 1)},
	} {
		if agenttalk.Check(s) == nil {
			t.Errorf("%+v passes", s)
		}
	}
	if err := agenttalk.Read(strings.NewReader("{\"is\":\"said\"}\nnonsense\n"), func(agentwire.Saying) error { return nil }); err == nil {
		t.Error("nonsense is read")
	}
	told := func(agentwire.Saying) error { return errors.New("half a line is told") }
	if err := agenttalk.Read(strings.NewReader("{\"is\":\"sa"), told); err != nil {
		t.Error(err)
	}
}
