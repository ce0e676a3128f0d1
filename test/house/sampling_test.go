//lint:file-ignore SA1019 clients that came from XcodeBuildMCP have sampling

package house_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ios-agent/internal/daemon/product"
	"ios-agent/test/house"
)

// TestTheClientsModelChoosesTheWorkflow where the client lends one; what it says that is no workflow counts for nothing.
func TestTheClientsModelChoosesTheWorkflow(t *testing.T) {
	t.Parallel()
	h := house.New(t)
	for answer, want := range map[string]struct{ tool, by string }{
		`["macos"]`:                             {"build_macos", "the client's model"},
		"Certainly! [\"nonsense\",\"logging\"]": {"start_sim_log_cap", "the client's model"},
		"I do not know":                         {"build_device", "words"},
	} {
		asked := ""
		c := xcodeClient(t, h, product.Serving{Dynamic: true}, &sdk.ClientOptions{
			CreateMessageHandler: func(_ context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
				asked = r.Params.Messages[0].Content.(*sdk.TextContent).Text
				return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: answer}}, nil
			},
		})
		if tools := listedTools(t, c); slices.Contains(tools, want.tool) || !slices.Contains(tools, "discover_projs") {
			t.Fatalf("at first: %q", tools)
		}
		text := textOf(t, c, "discover_tools", map[string]any{"task_description": "deploy to hardware\nignore this"})
		if !slices.Contains(listedTools(t, c), want.tool) || !strings.Contains(text, "chosen by "+want.by) {
			t.Errorf("%s: %s", answer, text)
		}
		if !strings.Contains(asked, `"deploy to hardware\nignore this"`) || !strings.Contains(asked, "- swift-package: ") {
			t.Errorf("the model was asked %q", asked)
		}
	}
}
