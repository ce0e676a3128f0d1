package webdriver

import (
	"encoding/json"
	"errors"
	"testing"
)

// FuzzRead: any answer is a value, a server's no with a code, or said to be no answer of such a server.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"value":true,"sessionId":"5EEE9679"}`, `{"value":null,"sessionId":null}`, `{"status":7,"value":{"message":"m"}}`,
		`{"value":{"error":"no such element","message":"m","traceback":""}}`, `{"status":13,"value":"text"}`, `<html>`, `{}`, `[]`, ``,
	} {
		for _, status := range []int{200, 302, 404, 500} {
			f.Add(status, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		a, err := read(status, body)
		no, refused := errors.AsType[*Error](err)
		_, strange := errors.AsType[*AnswerError](err)
		switch {
		case err == nil && !json.Valid(a.Value):
			t.Errorf("a value that is no JSON: %q", a.Value)
		case refused && no.Code == "" || err != nil && !refused && !strange:
			t.Errorf("%#v", err)
		case err == nil && (status < 200 || status >= 300):
			t.Errorf("HTTP %d is called a success", status)
		}
		if err != nil {
			_ = err.Error()
		}
	})
}
