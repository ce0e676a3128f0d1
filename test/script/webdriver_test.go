package script

import (
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// addressIn waits until the server has printed its address into a file.
func addressIn(ts *testscript.TestScript, file string) string {
	late := time.Now().Add(time.Minute)
	for range time.Tick(10 * time.Millisecond) {
		text, _ := os.ReadFile(ts.MkAbs(file)) // it may not be there yet
		line, _, whole := strings.Cut(string(text), "\n")
		if _, address, is := strings.Cut(line, "WebDriver at "); is && whole {
			return address
		}
		if time.Now().After(late) {
			ts.Fatalf("%s has no address: %s", file, text)
		}
	}
	return ""
}

// webDriver sends a command to the server whose address a file has, once it is there, and prints the status and the body:
// webdriver FILE METHOD PATH BODY [HEADER…]. SESSION in the path is the session that the last New Session made.
func webDriver(ts *testscript.TestScript, _ bool, args []string) {
	args = append(args, "", "")
	address := addressIn(ts, args[0])
	path := strings.Replace(args[2], "SESSION", ts.Getenv("SESSION"), 1)
	r, err := http.NewRequest(args[1], address+path, strings.NewReader(args[3]))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	for _, header := range args[4:] {
		name, value, _ := strings.Cut(header, ": ")
		switch name {
		case "":
		case "Host":
			r.Host = value
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if _, after, is := strings.Cut(string(raw), `"sessionId":"`); is && args[2] == "/session" {
		id, _, _ := strings.Cut(after, `"`)
		ts.Setenv("SESSION", id)
	}
	io.WriteString(ts.Stdout(), resp.Status+"\n"+string(raw))
}
