package simctl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"ios-agent/internal/virtualxcode/world"
)

// services are the services of privacy.
func services() []string {
	return []string{"calendar", "contacts-limited", "contacts", "location", "location-always", "photos-add", "photos",
		"media-library", "microphone", "motion", "reminders", "siri"}
}

func privacy(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	answer, err := word(c, map[string]string{"grant": world.Granted, "revoke": world.Denied, "reset": ""})
	if err != nil {
		return err
	}
	service, err := c.take()
	if err != nil {
		return err
	}
	all := []string{service}
	if service == "all" {
		all = services()
	} else if !slices.Contains(services(), service) {
		return errUsage
	}
	bundle := append(c.Args, "")[0]
	if bundle == "" && answer != "" { // only reset may apply to every app
		return errUsage
	}
	return c.world.SetPrivacy(ctx, d.UDID, bundle, answer, all...)
}

func keychain(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	act, err := word(c, map[string]func(*call, *world.Settings) error{
		"add-root-cert": (*call).addRoot,
		"add-cert": func(c *call, s *world.Settings) error {
			_, err := c.addCertificate(&s.Certificates)
			return err
		},
		"reset": func(c *call, s *world.Settings) error {
			s.RootCertificates, s.Certificates, s.Roots = nil, nil, nil
			return c.end()
		},
	})
	if err != nil {
		return err
	}
	return c.world.Configure(ctx, d.UDID, func(s *world.Settings) error { return act(c, s) })
}

// addRoot makes the device's apps trust servers with certificates signed by the file's certificate.
func (c *call) addRoot(s *world.Settings) error {
	before := len(s.RootCertificates)
	data, err := c.addCertificate(&s.RootCertificates)
	if err == nil && len(s.RootCertificates) > before {
		s.Roots = append(s.Roots, data)
	}
	return err
}

// addCertificate adds the file in the next argument, once, and returns its content.
func (c *call) addCertificate(to *[]string) ([]byte, error) {
	name, err := c.last()
	if err != nil {
		return nil, err
	}
	data, err := c.read(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if print := hex.EncodeToString(sum[:]); !slices.Contains(*to, print) {
		*to = append(*to, print)
	}
	return data, nil
}

func pbcopy(ctx context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(c.Stdin)
	if err != nil {
		return err
	}
	return c.setPasteboard(ctx, d.UDID, string(text))
}

func pbpaste(_ context.Context, c *call) error {
	d, err := c.booted()
	if err != nil {
		return err
	}
	s, err := c.world.Settings(d.UDID)
	fmt.Fprint(c.Stdout, s.Pasteboard)
	return err
}

// pbsync copies from one pasteboard to another; the word host means the Mac's.
func pbsync(ctx context.Context, c *call) error {
	if len(c.Args) != 2 {
		return errUsage
	}
	text := c.world.HostPasteboard()
	if from, _ := c.take(); from != "host" {
		d, err := c.world.Find(from)
		if err != nil {
			return err
		}
		s, err := c.world.Settings(d.UDID)
		if err != nil {
			return err
		}
		text = s.Pasteboard
	}
	if c.Args[0] == "host" {
		return c.world.SetHostPasteboard(text)
	}
	d, err := c.booted()
	if err != nil {
		return err
	}
	return c.setPasteboard(ctx, d.UDID, text)
}

func (c *call) setPasteboard(ctx context.Context, udid, text string) error {
	return c.world.Configure(ctx, udid, func(s *world.Settings) error {
		s.Pasteboard = text
		return nil
	})
}
