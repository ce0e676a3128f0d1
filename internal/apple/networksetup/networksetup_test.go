package networksetup

import (
	"reflect"
	"testing"
)

func TestProxySettingsAreParsed(t *testing.T) {
	for text, want := range map[string]Proxy{
		"Enabled: No\nServer: \nPort: 0\nAuthenticated Proxy Enabled: 0\n": {},
		"Enabled: Yes\nServer: proxy.example.com\nPort: 8080\nAuthenticated Proxy Enabled: 1\n": {
			On: true, Server: "proxy.example.com", Port: 8080, Authenticated: true},
		"Enabled: No\nServer: (null)\nPort: 0\n":      {},
		"Enabled: Yes\nServer: fd00::1\nPort: 3128\n": {On: true, Server: "fd00::1", Port: 3128},
	} {
		if got, err := readProxy(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "something else\n", "Enabled: Yes\nServer: x\nPort: many\n"} {
		if got, err := readProxy(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func TestNetworkServicesAreParsed(t *testing.T) {
	text := `An asterisk (*) denotes that a network service is disabled.
(1) USB 10/100/1000 LAN
(Hardware Port: USB 10/100/1000 LAN, Device: en7)

(2) Wi-Fi (home)
(Hardware Port: Wi-Fi, Device: en0)

(*) Thunderbolt Bridge
(Hardware Port: Thunderbolt Bridge, Device: bridge0)

(3) Work
(Hardware Port: com.wireguard.macos, Device: )
`
	want := []Service{{"USB 10/100/1000 LAN", "en7", false}, {"Wi-Fi (home)", "en0", false}, {"Thunderbolt Bridge", "bridge0", true},
		{"Work", "", false}}
	if got := readServices(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestVPNListIsParsed(t *testing.T) {
	text := `Available network connection services in the current set (*=enabled):
* (Disconnected)   0A1B2C3D-1111-4222-8333-444455556666 PPP --> L2TP       "Office (old)"                   [PPP:L2TP]
* (Connected)      1A1B2C3D-1111-4222-8333-444455556666 VPN (com.wireguard.macos) "Work"                     [VPN:com.wireguard.macos]
`
	want := []VPN{{"Office (old)", false}, {"Work", true}}
	if got := readVPNs(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestRefusalIsReadFromOutput(t *testing.T) {
	for text, want := range map[string]string{
		"Wifi is not a recognized network service.\n** Error: The parameters were not valid.\n": "Wifi is not a recognized network service. " +
			"The parameters were not valid.",
		"Wi-Fi2 is not a recognized network service.\n": "Wi-Fi2 is not a recognized network service.",
		"":                        "",
		"Enabled: No\nServer: \n": "",
		"*.local\n169.254/16\n":   "",
	} {
		if got := refusal(text); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// FuzzAnswers: nothing that a tool prints ends the program.
func FuzzAnswers(f *testing.F) {
	f.Add("(1) Wi-Fi\n(Hardware Port: Wi-Fi, Device: en0)\n* (Connected) X \"Work\"\nEnabled: Yes\nPort: 1\n** Error: no\n")
	f.Fuzz(func(_ *testing.T, text string) {
		readServices(text)
		readVPNs(text)
		_, _ = readProxy(text)
		refusal(text)
	})
}
