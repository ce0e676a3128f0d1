package flow

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func login() Flow {
	return Flow{
		ID: "f_1",
		Request: Request{
			Method: "POST", URL: "https://bob:hunter2@shop.example/login?page=2&access_token=hunter2&%70assword=hunter2#id_token=hunter2",
			Header: Header{
				{"Authorization", "Bearer hunter2"}, {"Proxy-Authorization", "hunter2"}, {"Cookie", "session=hunter2; theme=hunter2"},
				{"X-API-Key", "hunter2"}, {"Accept", "text/html"}, {"Referer", "https://shop.example/?token=hunter2&a=1"},
				{"X-Own", "hunter2"}, {"Content-Type", "application/json; charset=utf-8"}, {"X-Auth-Token", ""},
			},
			Body: Body{File: "f_1.request", Content: []byte(
				`{"user":"bob","password":"hunter2","n":{"pin" : 4711,"api_key":"hun\"ter2"},"ok":true,` +
					`"list":[{"secretCode":"hunter2"}],"empty_token":""`)},
		},
		Response: &Response{
			Header: Header{{"Set-Cookie", "session=hunter2; Path=/; HttpOnly"}, {"Set-Cookie", "b=hunter2"},
				{"Location", "/next?code=1&token=hunter2"}},
			Body:    Body{Content: []byte("page=2&password=hunter2&otp=hunter2")},
			Trailer: Header{{"X-Signature", "hunter2"}},
		},
		Messages: []Message{{Data: []byte(`42["login",{"password":"hunter2","cut_token":"hunter2`)}},
		Trouble:  Trouble{Error: "Get https://bob:hunter2@x.example: no"},
	}
}

// TestRedactedRemovesSecretsOnly: no secret is left, other values stay byte for byte, and Hidden lists the removed ones.
func TestRedactedRemovesSecretsOnly(t *testing.T) {
	f, before := login(), login()
	f.Response.Header = append(f.Response.Header, Field{"Content-Type", "application/x-www-form-urlencoded"})
	before.Response.Header = slices.Clone(f.Response.Header)
	got := Redacted(f, Names{Hide: []string{"x-own"}})
	if !reflect.DeepEqual(f, before) {
		t.Error("the flow itself changed")
	}
	want := Flow{
		ID: "f_1",
		Request: Request{
			Method: "POST", URL: "https://<secret>@shop.example/login?page=2&access_token=<secret>&%70assword=<secret>#id_token=<secret>",
			Header: Header{
				{"Authorization", "Bearer <secret>"}, {"Proxy-Authorization", "<secret>"}, {"Cookie", "session=<secret>; theme=<secret>"},
				{"X-API-Key", "<secret>"}, {"Accept", "text/html"}, {"Referer", "https://shop.example/?token=<secret>&a=1"},
				{"X-Own", "<secret>"}, {"Content-Type", "application/json; charset=utf-8"}, {"X-Auth-Token", ""},
			},
			Body: Body{Content: []byte(`{"user":"bob","password":"<secret>","n":{"pin" : "<secret>","api_key":"<secret>"},"ok":true,` +
				`"list":[{"secretCode":"<secret>"}],"empty_token":""`)},
		},
		Response: &Response{
			Header: Header{{"Set-Cookie", "session=<secret>; Path=/; HttpOnly"}, {"Set-Cookie", "b=<secret>"},
				{"Location", "/next?code=1&token=<secret>"}, {"Content-Type", "application/x-www-form-urlencoded"}},
			Body:    Body{Content: []byte("page=2&password=<secret>&otp=<secret>")},
			Trailer: Header{{"X-Signature", "<secret>"}},
		},
		Messages: []Message{{Data: []byte(`42["login",{"password":"<secret>","cut_token":"<secret>"`)}},
		Trouble:  Trouble{Error: "Get https://<secret>@x.example: no"},
		Hidden:   got.Hidden,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\n%s\nnot\n%+v", got, got.Request.Body.Content, want)
	}
	for _, place := range []string{"request header Authorization", "query access_token", "query password", "request body pin",
		"response body otp", "response header Set-Cookie", "request header X-Own", "message password", "response header X-Signature"} {
		if !slices.Contains(got.Hidden, place) {
			t.Errorf("%q is not said: %q", place, got.Hidden)
		}
	}
	shown := Redacted(f, Names{Show: []string{"authorization", "Access_token"}})
	if shown.Request.Header[0].Value != "Bearer hunter2" || !strings.Contains(shown.Request.URL, "access_token=hunter2&%70assword=<secret>") {
		t.Error(shown.Request.Header[0], shown.Request.URL)
	}
}

// TestRedactedHidesSecretFormParts: the value of a part whose name is that of a secret is hidden, the others stay.
func TestRedactedHidesSecretFormParts(t *testing.T) {
	body := "--b\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nbob\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"password\"\r\nContent-Type: text/plain\r\n\r\nhun\r\nter2\r\n--b--\r\n"
	f := Flow{Request: Request{Header: Header{{"content-type", "multipart/form-data; boundary=b"}}, Body: Body{Content: []byte(body)}}}
	want := strings.Replace(body, "hun\r\nter2", "<secret>", 1)
	if got := Redacted(f, Names{}); string(got.Request.Body.Content) != want || !slices.Equal(got.Hidden, []string{"request body password"}) {
		t.Errorf("%q %q", got.Request.Body.Content, got.Hidden)
	}
}

// TestRedactedKeepsFlowWithoutSecrets: a flow without secrets is itself.
func TestRedactedKeepsFlowWithoutSecrets(t *testing.T) {
	f := Flow{
		Request: Request{URL: "https://shop.example/a?b=1&c=%20;d", Header: Header{{"Accept", "*/*"}, {"X-B", "a; b=1 & c"}},
			Body: Body{Content: []byte("{\"a\": [1,2,{\"b\":\"\\u00e9\"}], \"compass\":\"n\"}")}},
		Response: &Response{Body: Body{Content: []byte{0, 255, 1, '"', ':', '"'}}},
	}
	if got := Redacted(f, Names{}); !reflect.DeepEqual(got, f) {
		t.Errorf("%+v\nnot %+v", got, f)
	}
}
