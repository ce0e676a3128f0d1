package connect

import (
	"encoding/json"
	"net/http"
	"strings"
)

// mostThought is the maximum length of an answer in tokens: an action is short.
const mostThought = 1024

// Anthropic is the dialect of the Messages API.
func Anthropic() Dialect {
	return Dialect{
		Name: "the Messages endpoint", Base: "https://api.anthropic.com", Variable: "ANTHROPIC_API_KEY", Path: "/v1/messages",
		auth: func(h http.Header, key string) { h.Set("X-Api-Key", key); h.Set("Anthropic-Version", "2023-06-01") },
		request: func(model string, t Turn) any {
			return map[string]any{
				"model": model, "max_tokens": mostThought,
				"system": []any{map[string]any{"type": "text", "text": t.Instructions,
					"cache_control": map[string]any{"type": "ephemeral"}}},
				"messages":    []any{map[string]any{"role": "user", "content": messageOf(t)}},
				"tools":       []any{map[string]any{"name": toolName, "description": toolDoc, "input_schema": toolSchema(t)}},
				"tool_choice": map[string]any{"type": "tool", "name": toolName},
			}
		},
		read: readMessage,
	}
}

// messageOf is the prompt, with the picture if the turn has one.
func messageOf(t Turn) any {
	kind, data, ok := strings.Cut(strings.TrimPrefix(t.picture, "data:"), ";base64,")
	if !ok {
		return t.Prompt
	}
	source := map[string]any{"type": "base64", "media_type": kind, "data": data}
	return []any{map[string]any{"type": "image", "source": source}, map[string]any{"type": "text", "text": t.Prompt}}
}

func readMessage(body []byte) (Decision, error) {
	var answer struct {
		Content []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Decision{}, malformed("the endpoint's answer is not JSON: %v", err)
	}
	var prose []string
	for _, part := range answer.Content {
		switch {
		case part.Type == "tool_use" && part.Name == toolName && answer.StopReason == "max_tokens":
			return Decision{}, malformed("the answer was cut off; it must be shorter")
		case part.Type == "tool_use" && part.Name == toolName:
			return ParseDecision(part.Input)
		case part.Type == "text":
			prose = append(prose, part.Text)
		}
	}
	return findDecision(strings.Join(prose, "\n"))
}

// OpenAI is the dialect of chat completions, which many servers support.
func OpenAI() Dialect {
	return Dialect{
		Name: "the chat completions endpoint", Base: "https://api.openai.com/v1", Variable: "OPENAI_API_KEY", Path: "/chat/completions",
		auth: func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) },
		request: func(model string, t Turn) any {
			say := func(role string, content any) any { return map[string]any{"role": role, "content": content} }
			return map[string]any{
				"model":    model,
				"messages": []any{say("system", t.Instructions), say("user", chatOf(t))},
				"tools": []any{map[string]any{"type": "function",
					"function": map[string]any{"name": toolName, "description": toolDoc, "parameters": toolSchema(t)}}},
				"tool_choice": map[string]any{"type": "function", "function": map[string]any{"name": toolName}},
			}
		},
		read: readCompletion,
	}
}

// chatOf is messageOf for chat completions.
func chatOf(t Turn) any {
	if t.picture == "" {
		return t.Prompt
	}
	return []any{map[string]any{"type": "text", "text": t.Prompt},
		map[string]any{"type": "image_url", "image_url": map[string]any{"url": t.picture}}}
}

func readCompletion(body []byte) (Decision, error) {
	var answer struct {
		Choices []struct {
			Message struct {
				Content   *string `json:"content"`
				ToolCalls []struct {
					Function struct {
						Name      string `json:"name"`
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Decision{}, malformed("the endpoint's answer is not JSON: %v", err)
	}
	if len(answer.Choices) == 0 {
		return Decision{}, malformed("the endpoint's answer has no choice")
	}
	m := answer.Choices[0].Message
	for _, call := range m.ToolCalls {
		if call.Function.Name == toolName {
			return ParseDecision([]byte(call.Function.Arguments))
		}
	}
	if m.Content == nil {
		return Decision{}, malformed("the answer has no tool call and no text")
	}
	return findDecision(*m.Content)
}
