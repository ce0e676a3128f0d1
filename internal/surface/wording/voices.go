package wording

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"ios-agent/internal/op"
)

// Shell speaks to a person at a command line.
func Shell(c *op.Catalogue) Voice {
	return Voice{
		catalogue: c,
		call: func(m Mention) string {
			if m.Op.Verb == "" {
				return "`ios-agent call " + c.ID(m.Op) + " '" + object(m.Input) + "'`"
			}
			return "`" + command(m) + "`"
		},
		can:    func(Mention) bool { return true },
		blanks: true,
		user:   func(command string) string { return "`" + command + "`" },
		input:  func(name string) string { return "--" + op.Field{Name: name}.Flag() },
		listed: func(o op.Op) bool { return o.Verb != "" },
	}
}

// Offer is the tools that an MCP server lists, by the operation's ID in the catalogue.
type Offer struct {
	Names map[string]string
	// Other is the tool that calls unlisted operations; it takes name and arguments. It may be empty.
	Other string
	// Destructive says that Other reaches operations that may lose data.
	Destructive bool
	// Find is the tool that describes operations; it takes a query.
	Find string
	// Later are tools that the server lists after a call of Discover with their group.
	Later    map[string]string
	Listed   func(name string) bool // whether that call was made; nil means no
	Discover string
}

// Tools speaks to a model that has tools and no shell.
func Tools(c *op.Catalogue, offer Offer) Voice {
	reach := func(o op.Op) bool { return offer.Other != "" && (offer.Destructive || !o.Hints.Has(op.Destructive)) }
	twins := twinsOf(c, offer.Names)
	listed := func(m Mention, name string) string {
		if m.Help {
			return "the schema of " + name
		}
		return toolCall(name, m.Input)
	}
	return Voice{
		catalogue: c,
		call: func(m Mention) string {
			if name, is := offer.Names[c.ID(m.Op)]; is {
				return listed(m, name)
			}
			if name, is := offer.Later[c.ID(m.Op)]; is {
				if offer.Listed != nil && offer.Listed(name) {
					return listed(m, name)
				}
				return listed(m, name) + " (listed by " + offer.Discover + " " + object(map[string]any{"task_description": m.Op.Group()}) + ")"
			}
			twin, whole, has := twins.of(m)
			switch {
			case has && (whole || !reach(m.Op)):
				return listed(twin, offer.Names[c.ID(twin.Op)])
			case m.Help && offer.Find != "":
				return offer.Find + " " + object(map[string]any{"query": m.Op.Name})
			case reach(m.Op):
				return offer.Other + " " + object(otherCall{c.ID(m.Op), m.Input})
			}
			return theUser(command(m))
		},
		can: func(m Mention) bool {
			_, now := offer.Names[c.ID(m.Op)]
			_, later := offer.Later[c.ID(m.Op)]
			_, _, has := twins.of(m)
			return now || later || has || reach(m.Op) || m.Help && offer.Find != ""
		},
		user: func(command string) string {
			if command == list && offer.Find != "" {
				return offer.Find
			}
			return theUser(command)
		},
		input:  twins.input,
		listed: func(o op.Op) bool { _, is := offer.Names[c.ID(o)]; return is },
	}
}

// Actions speaks to a model that chooses one action each turn. The names are the names of the actions, by the operation's ID.
func Actions(c *op.Catalogue, names map[string]string) Voice {
	user := func(command string) string { return "`" + command + "`, which only your user can run" }
	return Voice{
		catalogue: c,
		call: func(m Mention) string {
			name, offered := names[c.ID(m.Op)]
			switch {
			case !offered:
				return user(command(m))
			case m.Help:
				return "the inputs of the action " + name
			}
			return object(action{name, m.Input})
		},
		can:    func(m Mention) bool { _, offered := names[c.ID(m.Op)]; return offered },
		user:   user,
		input:  func(name string) string { return name },
		listed: func(o op.Op) bool { _, is := names[c.ID(o)]; return is },
	}
}

// action is how an action is chosen.
type action struct {
	Action string         `json:"action"`
	Input  map[string]any `json:"input,omitempty"`
}

// Routes speaks to a program that calls over HTTP.
func Routes(c *op.Catalogue) Voice {
	return Voice{
		catalogue: c,
		call: func(m Mention) string {
			switch {
			case m.Op.Route == "":
				return theUser(command(m))
			case m.Help:
				return "the input of " + m.Op.Route
			}
			return route(m)
		},
		can: func(m Mention) bool { return m.Op.Route != "" },
		user: func(command string) string {
			if command == list {
				return "GET /openapi.json"
			}
			return theUser(command)
		},
		input:  func(name string) string { return name },
		listed: func(o op.Op) bool { return o.Route != "" },
	}
}

// list is the command that lists all operations.
const list = "ios-agent help"

// theUser is for what needs a shell on this machine.
func theUser(command string) string { return "`" + command + "` in a shell" }

func toolCall(name string, input map[string]any) string {
	if len(input) == 0 {
		return name
	}
	return name + " " + object(input)
}

// otherCall is the input of an Offer's Other.
type otherCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

func object(input any) string {
	raw, err := json.Marshal(input)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// Line is a call of an operation as one types it in a shell.
func Line(o op.Op, input map[string]any) string { return command(Mention{Op: o, Input: input}) }

// command is a mention as one types it: arguments by their place, then flags.
func command(m Mention) string {
	parts := []string{"ios-agent", m.Op.Verb}
	if m.Help {
		return strings.Join(append(parts, "--help"), " ")
	}
	var flags []string
	for _, f := range m.Op.Fields() {
		value, ok := m.Input[f.Name]
		switch {
		case !ok:
		case f.Arg:
			parts = append(parts, texts(value)...)
		case f.Kind == op.Bool && value == true:
			flags = append(flags, "--"+f.Flag())
		default:
			for _, text := range texts(value) {
				flags = append(flags, "--"+f.Flag(), text)
			}
		}
	}
	if session, ok := m.Input["session"]; ok && !takes(m.Op, "session") {
		flags = append(flags, "--session", shellWord(fmt.Sprint(session)))
	}
	return strings.Join(append(parts, flags...), " ")
}

func takes(o op.Op, input string) bool {
	return slices.ContainsFunc(o.Fields(), func(f op.Field) bool { return f.Name == input })
}

func texts(value any) []string {
	words := plain(value)
	for i := range words {
		words[i] = shellWord(words[i])
	}
	return words
}

// plain is a value as words: one, or one for each of a list.
func plain(value any) (words []string) {
	switch list := value.(type) {
	case []string:
		return slices.Clone(list)
	case []any:
		for _, each := range list {
			words = append(words, fmt.Sprint(each))
		}
		return words
	}
	return []string{fmt.Sprint(value)}
}

// shellWord is a word that a shell reads as it is, on one line: control characters are escaped, as bash and zsh read them in $'…'.
func shellWord(word string) string {
	if strings.ContainsFunc(word, unicode.IsControl) {
		return "$'" + shellEscapes(word) + "'"
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellEscapes is a word between $' and '. Bytes are escaped one by one: that is how $'…' reads a control character beyond ASCII.
func shellEscapes(word string) string {
	var escaped strings.Builder
	for _, r := range word {
		switch {
		case r == '\\' || r == '\'':
			escaped.WriteString("\\" + string(r))
		case unicode.IsControl(r):
			for _, b := range []byte(string(r)) {
				fmt.Fprintf(&escaped, `\x%02x`, b)
			}
		default:
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}

// route is a mention as a request: what the path names is put there.
func route(m Mention) string {
	path, rest := m.Op.Path(), map[string]any{}
	for name, value := range m.Input {
		if place := "{" + name + "}"; strings.Contains(path, place) {
			path = strings.ReplaceAll(path, place, fmt.Sprint(value))
			continue
		}
		rest[name] = value
	}
	switch method := m.Op.Method(); {
	case len(rest) == 0:
		return method + " " + path
	case method == http.MethodGet || method == http.MethodDelete:
		query := url.Values{}
		for name, value := range rest {
			query[name] = plain(value)
		}
		return method + " " + path + "?" + query.Encode()
	default:
		return method + " " + path + " " + object(rest)
	}
}
