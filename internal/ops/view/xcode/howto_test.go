package xcode_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/catalogue"
	"ios-agent/internal/ops/view/xcode"
)

type countIn struct {
	Word string `json:"word" doc:"what to count"`
}

type countOut struct {
	Letters int `json:"letters"`
}

// TestToolNeedsOnlyRowAndMethod follows the how-to of CONTRIBUTING with a pretend tool: a row of the table, and a tool of that row with the
// method that answers. Nothing else is said of it, and it has a name in the set, a verb, a route, a schema and an answer.
func TestToolNeedsOnlyRowAndMethod(t *testing.T) {
	row := xcode.Row("count_letters", "")
	pretend := op.New(xcode.Tool(row, "Count the letters of a word", op.ReadOnly, "utilities"),
		func(_ context.Context, _ *op.Call, in countIn) (countOut, error) { return countOut{len(in.Word)}, nil })
	c := op.NewCatalogue(append(catalogue.All(catalogue.Services{}), pretend), op.Options{})

	client := serve(t, c)
	listed, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var found *sdk.Tool
	for _, tool := range listed.Tools {
		if tool.Name == row.Name {
			found = tool
		}
	}
	if found == nil || !strings.HasPrefix(found.Description, "Count the letters of a word") {
		t.Fatalf("tools/list of --tools xcode has %d tools, and of the pretend one %+v", len(listed.Tools), found)
	}
	answer, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: row.Name, Arguments: map[string]any{"word": "sim"}})
	if err != nil || answer.IsError {
		t.Fatalf("the call answers %+v, %v", answer, err)
	}
	if text := answer.Content[0].(*sdk.TextContent).Text; !strings.Contains(text, "3") {
		t.Errorf("the answer is %q; want 3 letters", text)
	}
	o, err := c.Lookup(row.FullName())
	if err != nil || o.Verb != "xcode count-letters" || o.Route != "POST /api/v1/xcode/count_letters" {
		t.Errorf("the verb is %q and the route %q, %v", o.Verb, o.Route, err)
	}
}

func serve(t *testing.T, c *op.Catalogue) *sdk.ClientSession {
	t.Helper()
	server, err := product.MCP(c, op.Local{Catalogue: c, Session: "how-to"}, "test", product.Serving{Tools: xcode.Family})
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := sdk.NewInMemoryTransports()
	if _, err = server.Connect(t.Context(), theirs, nil); err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "how-to", Version: "1"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// TestHowToNamesExistingFilesAndWords: the files and words of the how-to exist.
func TestHowToNamesExistingFilesAndWords(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	raw, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	item := regexp.MustCompile(`(?s)\n- \*a tool of .*?\n- \*`).FindString(string(raw))
	source := ""
	for _, name := range []string{"tools.go", "xcode.go", "howto_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source += string(text)
	}
	words := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(item, -1)
	if len(words) < 5 {
		t.Fatalf("the how-to names %d things: does this test still read the right item?\n%s", len(words), item)
	}
	for _, word := range words {
		_, above := os.Stat(filepath.Join(root, word[1]))
		_, here := os.Stat(word[1])
		if above != nil && here != nil && !regexp.MustCompile(`\b`+regexp.QuoteMeta(word[1])+`\b`).MatchString(source) {
			t.Errorf("the how-to names %s, which is neither a file nor a word of this package", word[1])
		}
	}
}
