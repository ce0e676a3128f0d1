package mitm_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"ios-agent/internal/network/flow"
)

func echo(options *websocket.AcceptOptions) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		conn, err := websocket.Accept(w, req, options)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(-1)
		for {
			kind, data, err := conn.Read(req.Context())
			if err != nil {
				return
			}
			if err := conn.Write(req.Context(), kind, data); err != nil {
				return
			}
		}
	}
}

// TestWebSocketMessagesPassAndAreRecorded: messages pass and are recorded, each with its direction and its text, packed or not, in one
// frame or several.
func TestWebSocketMessagesPassAndAreRecorded(t *testing.T) {
	for _, mode := range []websocket.CompressionMode{
		websocket.CompressionDisabled, websocket.CompressionContextTakeover, websocket.CompressionNoContextTakeover,
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("packed %v tls %v", mode, secure), func(t *testing.T) {
				r := open(t, believing)
				accept := echo(&websocket.AcceptOptions{CompressionMode: mode, CompressionThreshold: 1, InsecureSkipVerify: true})
				var s *httptest.Server
				if secure {
					s = r.server(accept, true)
				} else {
					s = httptest.NewServer(accept)
					t.Cleanup(s.Close)
				}
				ctx, cancel := context.WithTimeout(t.Context(), tooLong)
				defer cancel()
				conn, _, err := websocket.Dial(ctx, s.URL+"/live", &websocket.DialOptions{
					HTTPClient: r.client(true), CompressionMode: mode, CompressionThreshold: 1,
				})
				must(t, err)
				defer conn.CloseNow()
				conn.SetReadLimit(-1)
				texts := []string{"first", strings.Repeat("again and again ", 500), strings.Repeat("again and again ", 500), ""}
				for _, text := range texts {
					must(t, conn.Write(ctx, websocket.MessageText, []byte(text)))
					if _, got, err := conn.Read(ctx); err != nil || string(got) != text {
						t.Fatalf("%q %v", got, err)
					}
				}
				w, err := conn.Writer(ctx, websocket.MessageBinary) // in pieces
				must(t, err)
				for range 3 {
					_, err := w.Write([]byte(strings.Repeat("piece", 2000)))
					must(t, err)
				}
				must(t, w.Close())
				_, got, err := conn.Read(ctx)
				if err != nil || string(got) != strings.Repeat("piece", 6000) {
					t.Fatalf("%d %v", len(got), err)
				}
				r.wait("told while it is open", func(f flow.Flow) bool { return f.State == flow.Open && f.Told > 0 })
				must(t, conn.Close(websocket.StatusNormalClosure, "bye"))
				f := r.done()
				if f.Response.Status != 101 || f.Told < 11 || f.Request.Body.Size == 0 || f.Response.Body.Size == 0 {
					t.Errorf("%d messages, %+v", f.Told, f.Response)
				}
				var sent, heard []string
				closes := 0
				for _, m := range f.Messages {
					switch {
					case m.Closes:
						closes++
					case m.Sent:
						sent = append(sent, string(m.Data))
					default:
						heard = append(heard, string(m.Data))
					}
				}
				want := append(texts, strings.Repeat("piece", 6000)[:16<<10])
				if fmt.Sprint(sent) != fmt.Sprint(want) || fmt.Sprint(heard) != fmt.Sprint(want) || closes == 0 {
					t.Errorf("%.200q\n%.200q", sent, heard)
				}
				if last := f.Messages[len(f.Messages)-1]; last.Text || f.Messages[0].Text != true {
					t.Errorf("%+v", f.Messages[0])
				}
			})
		}
	}
}

// TestRefusedWebSocketReturnsServerAnswer: the app gets the server's answer.
func TestRefusedWebSocketReturnsServerAnswer(t *testing.T) {
	r := open(t, believing)
	s := r.server(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not here", http.StatusForbidden) }, true)
	_, resp, err := websocket.Dial(t.Context(), s.URL, &websocket.DialOptions{HTTPClient: r.client(true)})
	if err == nil || resp.StatusCode != 403 {
		t.Errorf("%v %v", resp, err)
	}
	if f := r.done(); f.Response.Status != 403 || string(f.Response.Body.Content) != "not here\n" {
		t.Errorf("%+v", f)
	}
}

// TestServerSentEventsStreamOneByOne: each event arrives, and is recorded, before the next is sent.
func TestServerSentEventsStreamOneByOne(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(version(http2), func(t *testing.T) {
			r := open(t, believing)
			r.look = flow.Look{Response: true, ResponseBody: true} // even then nothing waits for the end
			next := make(chan string)
			s := r.server(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				for event := range next {
					fmt.Fprint(w, event)
					_ = http.NewResponseController(w).Flush()
				}
			}, http2)
			go func() { next <- "data: 0\n\n" }()
			resp, err := r.client(http2).Get(s.URL)
			must(t, err)
			defer resp.Body.Close()
			for i := 1; i <= 3; i++ {
				r.wait("told", func(f flow.Flow) bool { return f.State == flow.Open && f.Told == i })
				next <- fmt.Sprintf("event: news\r\ndata: %d\r\ndata: more\r\n\r\n", i)
			}
			close(next)
			_, err = io.Copy(io.Discard, resp.Body)
			must(t, err)
			f := r.done()
			if f.Told != 4 || len(f.Messages) != 4 || string(f.Messages[0].Data) != "data: 0" ||
				string(f.Messages[3].Data) != "event: news\ndata: 3\ndata: more" || f.Messages[3].Sent || !f.Messages[3].Text {
				t.Errorf("%d %+v", f.Told, f.Messages)
			}
		})
	}
}
