package act

import (
	"context"
	"errors"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// NoWebs is the reason for a missing page on devices without a driver that looks into web views.
const NoWebs = "accessibility does not show the page of a web view, and no driver of this device looks into web views"

// pages adds the contents of web views that accessibility does not expose, if the device has another way to read them. If a page cannot
// be read, the look still succeeds and the screen says so.
func (s Step) pages(ctx context.Context, screen *ui.Screen) *ui.Screen {
	blind := screen.BlindWebs()
	if len(blind) == 0 {
		return screen
	}
	webs, can := device.Has[device.Webs](s.Device)
	if !can {
		screen.NoPage = NoWebs
		return screen
	}
	pages := map[*ui.Node][]*ui.Node{}
	for _, view := range blind {
		page, err := webs.Page(ctx, device.WebView{Title: view.Label, Frame: view.Frame})
		if err != nil {
			screen.NoPage = fault.From(err).Message
			continue
		}
		pages[view] = page
	}
	if len(pages) == 0 {
		return screen
	}
	return screen.WithPages(pages)
}

// besidePages adds to an element-not-found error that the element may be on an unread page.
func besidePages(err error, screen *ui.Screen) error {
	missing, is := errors.AsType[*ui.NotFoundError](err)
	if !is || screen.NoPage == "" {
		return err
	}
	told := *missing
	told.Message += "; it may be on an unread web page: " + screen.NoPage
	return &told
}
