package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// answer is what the three surfaces must agree on.
type answer struct {
	Result map[string]any
	Code   string
	Hint   string
}

// session is the one all surfaces use in these scripts, so that their refs are the same.
const session = "script"

// sameOnAllSurfaces makes one call by CLI, REST and MCP and wants one answer: same NAME METHOD PATH JSON. With ! it
// wants all three to fail. It prints the answer.
func sameOnAllSurfaces(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: same NAME METHOD PATH JSON")
	}
	name, method, path, input := args[0], args[1], args[2], args[3]
	answers := map[string]answer{
		"cli":  byCLI(ts, name, input),
		"rest": byREST(ts, method, path, input),
		"mcp":  byMCP(ts, name, input),
	}
	first, err := json.MarshalIndent(answers["cli"], "", "  ")
	ts.Check(err)
	for surface, a := range answers {
		other, err := json.MarshalIndent(a, "", "  ")
		ts.Check(err)
		if !bytes.Equal(first, other) {
			ts.Fatalf("%s answers\n%s\nbut cli\n%s", surface, other, first)
		}
		if neg != (a.Code != "") {
			ts.Fatalf("%s: fault %q", surface, a.Code)
		}
	}
	fmt.Fprintf(ts.Stdout(), "%s\n", first)
}

// clean drops what may differ between two calls of one operation.
func clean(result map[string]any) map[string]any {
	delete(result, "meta")
	delete(result, "timestamp")
	return result
}

func byCLI(ts *testscript.TestScript, name, input string) answer {
	cmd := exec.Command(filepath.Join(bin, "ios-agent"), "call", name, input, "--json", "--session", session)
	cmd.Env, cmd.Dir = environ(ts), ts.MkAbs(".")
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		ts.Fatalf("%v", err)
	}
	var e struct {
		Result map[string]any
		Error  struct{ Code, Hint string }
	}
	ts.Check(json.Unmarshal(out, &e))
	return answer{clean(e.Result), e.Error.Code, e.Error.Hint}
}

func byREST(ts *testscript.TestScript, method, path, input string) answer {
	raw := request(ts, method, path, input, func(r *http.Request) { r.Header.Set("X-Session", session) })
	var body map[string]any
	ts.Check(json.Unmarshal(raw, &body))
	return fromBody(ts, body)
}

// fromBody reads what REST and MCP answer with: the result, or an error beside it.
func fromBody(ts *testscript.TestScript, body map[string]any) answer {
	fault, failed := body["error"].(map[string]any)
	if !failed {
		return answer{Result: clean(body)}
	}
	a := answer{Code: fmt.Sprint(fault["code"])}
	if hint, ok := fault["hint"].(string); ok {
		a.Hint = hint
	}
	if result, ok := body["result"].(map[string]any); ok {
		a.Result = clean(result)
	}
	return a
}

func byMCP(ts *testscript.TestScript, name, input string) answer {
	res := callTool(ts, name, input)
	raw, err := json.Marshal(res.StructuredContent)
	ts.Check(err)
	var body map[string]any
	ts.Check(json.Unmarshal(raw, &body))
	a := fromBody(ts, body)
	if res.IsError != (a.Code != "") {
		ts.Fatalf("isError is %v, the code %q", res.IsError, a.Code)
	}
	return a
}

// address is where this script's daemon listens, and its key.
func address(ts *testscript.TestScript) (url, key string) {
	ts.Check(ts.Exec("ios-agent", "daemon", "start", "--json"))
	var status struct {
		Result struct {
			URL     string `json:"url"`
			KeyFile string `json:"key_file"`
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &status))
	raw, err := os.ReadFile(status.Result.KeyFile)
	ts.Check(err)
	return status.Result.URL, strings.TrimSpace(string(raw))
}

// request makes one HTTP request to the daemon of this script.
func request(ts *testscript.TestScript, method, path, input string, edit func(*http.Request)) []byte {
	url, key := address(ts)
	req, err := http.NewRequest(method, url+path, strings.NewReader(input))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+key)
	edit(req)
	resp, err := (&http.Client{Timeout: 30 * time.Second}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stderr(), "HTTP %d\n", resp.StatusCode)
	return raw
}

// restCall prints what an HTTP request is answered with: rest METHOD PATH [JSON [HEADER: VALUE]…]. The status is on
// stderr. A header whose value is - is removed.
func restCall(ts *testscript.TestScript, _ bool, args []string) {
	args = append(args, "", "")
	raw := request(ts, args[0], args[1], args[2], func(r *http.Request) {
		for _, header := range args[3:] {
			name, value, _ := strings.Cut(header, ": ")
			switch {
			case value == "-":
				r.Header.Del(name)
			case name == "Host":
				r.Host = value
			case name != "":
				r.Header.Set(name, value)
			}
		}
	})
	ts.Stdout().Write(raw)
}

// mcpCall speaks to `ios-agent mcp`: mcp call NAME JSON prints the answer's text; mcp survives kills the daemon between two
// calls of one session.
func mcpCall(ts *testscript.TestScript, neg bool, args []string) {
	switch args[0] {
	case "survives":
		withMCP(ts, "all", func(ctx context.Context, s *mcp.ClientSession) {
			for range 2 {
				res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "list_devices"})
				ts.Check(err)
				if res.IsError {
					ts.Fatalf("%+v", res.StructuredContent)
				}
				kill9(ts, false, []string{"daemon"})
			}
		})
	default:
		printResult(ts, neg, callTool(ts, args[1], args[2]))
	}
}

func printResult(ts *testscript.TestScript, neg bool, res *mcp.CallToolResult) {
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			fmt.Fprintln(ts.Stdout(), c.Text)
		case *mcp.ImageContent:
			fmt.Fprintf(ts.Stdout(), "image %s %d bytes\n", c.MIMEType, len(c.Data))
		}
	}
	if res.IsError != neg {
		ts.Fatalf("isError is %v", res.IsError)
	}
}

func callTool(ts *testscript.TestScript, name, input string) (res *mcp.CallToolResult) {
	withMCP(ts, "all", func(ctx context.Context, s *mcp.ClientSession) {
		var err error
		res, err = s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
		ts.Check(err)
	}, "--structured")
	return res
}

func withMCP(ts *testscript.TestScript, tools string, use func(context.Context, *mcp.ClientSession), flags ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.Command(filepath.Join(bin, "ios-agent"), append([]string{"mcp", "--tools", tools, "--session", session}, flags...)...)
	cmd.Env, cmd.Dir = environ(ts), ts.MkAbs(".")
	client := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	ts.Check(err)
	defer s.Close()
	use(ctx, s)
}
