package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"ios-agent/internal/client/webdriver"
	"ios-agent/internal/fault"
	"ios-agent/internal/machine/home"
	"ios-agent/internal/op"
	"ios-agent/internal/surface/wording"
)

// agentPort is the port that WebDriverAgent listens on.
const agentPort = 8100

// webdriving are the flags of `ios-agent webdriver`.
type webdriving struct {
	port    int
	device  string
	noToken bool
}

// webdriverCommand serves W3C WebDriver.
func (p *program) webdriverCommand() *cobra.Command {
	var k webdriving
	c := &cobra.Command{
		Use: "webdriver", Short: "Serve W3C WebDriver and the routes of WebDriverAgent", Args: cobra.NoArgs,
		Long: "Serve W3C WebDriver and the routes of WebDriverAgent, so that an Appium suite, Appium Inspector, WebdriverIO or an\n" +
			"Appium server (appium:webDriverAgentUrl) drive any device that ios-agent has. It prints the address to use, and ends with ctrl-C.\n\n" +
			"New Session takes the lease of a device; DELETE, newCommandTimeout and the end of this command give it back. Only programs of\n" +
			"this machine that know the address are served: its path is a secret, new at each start. docs/webdriver.md says more.",
		Example: "  ios-agent webdriver\n" +
			"  ios-agent webdriver --port 4723 --device \"iPhone 16\"\n" +
			"  ios-agent webdriver --no-token",
		RunE: func(c *cobra.Command, _ []string) error { return p.webdriver(c, k) },
	}
	f := c.Flags()
	f.IntVar(&k.port, "port", agentPort, "the port on 127.0.0.1; 0 is a free one")
	f.StringVar(&k.device, "device", "", "udid or name of the device for all sessions "+
		"(default: that of the capabilities, else the project's, else a free one)")
	f.BoolVar(&k.noToken, "no-token", false, "no secret in the path: every program of this machine may drive the devices")
	return c
}

// serving is where it serves.
type serving struct {
	URL    string `json:"url"`
	Port   int    `json:"port"`
	Device string `json:"device,omitempty"`
}

func (p *program) webdriver(c *cobra.Command, k webdriving) (err error) {
	if k.port < 0 || k.port > 65535 {
		return fault.New(fault.InvalidInput, "webdriver: --port is %d; it goes from 0 to 65535", k.port)
	}
	h, err := home.Open()
	if err != nil {
		return err
	}
	connecting := func(session string) (op.Caller, error) { return connect(p.app.Catalogue, session) }
	if err := webdriver.GiveBack(c.Context(), h.String(), connecting); err != nil {
		return err
	}
	folder, err := webdriver.NewFolder(h.String())
	if err != nil {
		return err
	}
	defer folder.Remove()
	named, _ := c.Flags().GetString("session")
	o := webdriver.Options{Connect: connecting, Project: named, Device: k.device, Version: version(), Folder: folder,
		Say: wording.Shell(p.app.Catalogue).Say}
	if !k.noToken {
		o.Token = webdriver.NewToken()
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(k.port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fault.New(fault.InvalidInput, "webdriver: port %d is in use", k.port).WithHint("choose another with --port; 0 is a free one")
	}
	if err != nil {
		return fault.New(fault.Internal, "webdriver: %w", err)
	}
	out := serving{URL: "http://" + l.Addr().String(), Port: l.Addr().(*net.TCPAddr).Port, Device: k.device}
	if o.Token != "" {
		out.URL += "/" + o.Token
	}
	if err := folder.Serves(out.Port); err != nil { // the proxy does not lead there
		l.Close()
		return err
	}
	text := fmt.Sprintf("WebDriver at %s\n"+
		"for WebdriverIO and Appium Inspector, or as appium:webDriverAgentUrl of an Appium server; ctrl-C ends it", out.URL)
	if err := p.app.Say(text, out); err != nil {
		l.Close()
		return err
	}
	if err := webdriver.New(o).Serve(c.Context(), l); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fault.New(fault.Internal, "webdriver: %w", err)
	}
	return nil
}
