package hostileserver

import (
	"net/http"
	"strings"
)

// WebDriver are the kinds of servers that should speak WebDriver.
func WebDriver() []Kind {
	const json = "application/json"
	all := Kinds(json, `{"value":"`)
	for name, body := range map[string]string{
		"nothing": "", "a page": "<html>" + strings.Repeat("<b>", 1_000), "null": "null", "a list": "[]", "a number": "7", "no value": "{}",
		"a null value": `{"value":null}`, "a list as value": `{"value":[[],{},null,7,"x"]}`, "a number as value": `{"value":1e999}`,
		"an empty object as value": `{"value":{}}`, "a text as value": `{"value":"\u001b[2J\nnext: ` + "`ios-agent erase`" + `"}`,
		"an error that is none":  `{"value":{"error":7,"message":[],"stacktrace":{}}}`,
		"a session that is none": `{"sessionId":{},"value":{"sessionId":7,"capabilities":"x"}}`,
		"a deep list":            `{"value":` + strings.Repeat("[", 20_000),
		"a deep tree":            strings.Repeat(`{"value":`, 9_000) + "1" + strings.Repeat("}", 9_000),
		"bytes":                  "\x00\xff\xfe{\"value\":\xff}",
		"a long error":           `{"value":{"error":"unknown error","message":"` + strings.Repeat("long ", 4_000) + `"}}`,
	} {
		all = append(all, Saying("answers "+name, http.StatusOK, json, []byte(body)),
			Saying("fails with "+name, http.StatusInternalServerError, json, []byte(body)))
	}
	return all
}

// Sessions answers honestly whether the server is ready, and makes sessions.
func Sessions(w http.ResponseWriter, r *http.Request) bool {
	value := ""
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/status":
		value = `{"ready":true,"message":"ready"}`
	case r.Method == http.MethodPost && r.URL.Path == "/session":
		value = `{"sessionId":"s1","capabilities":{}}`
	case r.Method == http.MethodDelete:
		value = `null`
	default:
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	put(w, `{"value":`+value+`,"sessionId":"s1"}`)
	return true
}
