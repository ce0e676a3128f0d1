package host

import (
	"slices"
	"testing"
)

func TestInvocationKeyReplacesMachinePaths(t *testing.T) {
	for _, c := range []struct{ argv, want []string }{
		{[]string{"/usr/bin/xcrun", "simctl", "list"}, []string{"xcrun", "simctl", "list"}},
		{[]string{"x", "/out/a.png", "--to=/out/a.png.json"}, []string{"x", "<output 0>", "--to=<output 1>"}},
		{[]string{"x", "/tmp/shot-81/a.png", "/private/var/folders/a/b/T/c", "/Users/me/tmp/x"},
			[]string{"x", "<tmp>.png", "<tmp>", "<home>/tmp/x"}},
		{[]string{"x", "file:///tmp/a.json", "/tmp/a:/tmp/b.mp4", "-I/tmp/q"}, []string{"x", "file://<tmp>.json", "<tmp>:<tmp>.mp4", "-I<tmp>"}},
		{[]string{"x", "/tmpfile", "/Users/meg/a", "/my/tmp/a"}, []string{"x", "/tmpfile", "/Users/meg/a", "/my/tmp/a"}},
		{[]string{"x", "/Users/me/code/a.swift", "/Users/me/code", "/Users/me/.cache/own/1.log"},
			[]string{"x", "<dir>/a.swift", "<dir>", "<tmp>.log"}},
		{[]string{"x", "http://127.0.0.1:8100/a", "[::1]:1", "--port", "9100", "AGENT_PORT=1", "9100"},
			[]string{"x", "http://127.0.0.1:<port>/a", "[::1]:<port>", "--port", "<port>", "AGENT_PORT=<port>", "9100"}},
		{[]string{"x", "-id", "0F3B", "platform=iOS,id=0F3B"}, []string{"x", "-id", "0F3B", "platform=iOS,id=0F3B"}},
	} {
		h := heading{Argv: c.argv, Dir: "/Users/me/code/", Home: "/Users/me", Tmp: "/Users/me/.cache/own"}
		if got := h.key([]string{"/out/a.png", "/out/a.png.json"}); !slices.Equal(got, c.want) {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestRedactHidesSecretArguments(t *testing.T) {
	in := []string{
		"x", "--api-key", "k", "API_TOKEN=t", "https://h/?key=q", "-keyboard", "us", "-H", "Authorization: Bearer b",
		"DB_PASSWD=1", "PGPASS=2", "AUTH=3", "pin=4", "--passphrase", "5", "https://u:p@h/", "https://h/?a=1&token=6&b=2",
	}
	want := []string{
		"x", "--api-key", secretMark, "API_TOKEN=" + secretMark, "https://h/?key=" + secretMark, "-keyboard", "us",
		"-H", "Authorization: Bearer " + secretMark,
		"DB_PASSWD=" + secretMark, "PGPASS=" + secretMark, "AUTH=" + secretMark, "pin=" + secretMark, "--passphrase", secretMark,
		"https://" + secretMark + "@h/", "https://h/?a=1&token=" + secretMark + "&b=2",
	}
	got, hidden := redact(in)
	if !slices.Equal(got, want) || !slices.Equal(hidden, []string{"k", "t", "q", "b", "1", "2", "3", "4", "5", "u:p", "6"}) {
		t.Errorf("got %q, hid %q", got, hidden)
	}
	if again, _ := redact(got); !slices.Equal(again, got) {
		t.Errorf("not stable: %q", again)
	}
}
