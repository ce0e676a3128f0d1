package shorter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// documents are values of every kind, with what is hard to read in them.
func documents() []string {
	return []string{
		`{}`, `[]`, `0`, `-1.5e+300`, `null`, `true`, `""`, `"\\"`, `"a\"b\\"`, `[[],{},[{}]]`, `{"":{"a":[]}}`, `"𐐷 \ud801\udc37 \u003c <"`,
		`{"a, b]}":"c, d]}\"","e":[1,-2.5,true,false,null,"\\\\"],"f":12345678901234567890}`,
	}
}

func TestShortJSONKeepsItsContent(t *testing.T) {
	for _, want := range documents() {
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(want), " ", "\t"); err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{want, indented.String(), "\r\n" + indented.String() + " \n"} {
			if got := string(JSON([]byte(given), 1<<10)); got != want {
				t.Errorf("%q: got %s, want %s", given, got, want)
			}
		}
	}
}

func TestLongJSONIsCutToValidJSON(t *testing.T) {
	long := strings.Repeat(`é\"𐐷`, 4000)
	for _, part := range documents() {
		whole := fmt.Sprintf(`{"list":[%s1],"text":"%s","part":%s}`, strings.Repeat(part+",", 5000), long, part)
		var got struct {
			List []json.RawMessage
			Text string
			Part json.RawMessage
		}
		cut := JSON([]byte(whole), 4<<10)
		if err := json.Unmarshal(cut, &got); err != nil || len(cut) > 4<<10 {
			t.Errorf("%s: got %d bytes, %v; want a document of at most %d", part, len(cut), err, 4<<10)
			continue
		}
		if string(got.Part) != part || len(got.List) == 0 || string(got.List[0]) != part || !strings.HasSuffix(got.Text, " bytes left out") {
			t.Errorf("%s: got the part %s and the list %s of %d; want them whole", part, got.Part, got.List[:min(1, len(got.List))], len(got.List))
		}
	}
	if bad := `{"a":` + long; string(JSON([]byte(bad), 10)) != bad {
		t.Error("what is no document was changed")
	}
}
