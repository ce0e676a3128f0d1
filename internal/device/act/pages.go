package act

import (
	"context"
	"errors"

	"ios-agent/internal/device"
	"ios-agent/internal/fault"
	"ios-agent/internal/ui"
)

// NoWebs is why a page is not shown where nothing can look into web views.
const NoWebs = "accessibility does not show the page of a web view, and no driver of this device looks into web views"

// pages adds to a look what is in web views that accessibility does not see into, where the device has another way. A page that cannot be
// read is no fault of the look: the screen says so.
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

// besidePages adds to the error of an element that was not found that it may be on a page which is not shown.
func besidePages(err error, screen *ui.Screen) error {
	missing, is := errors.AsType[*ui.NotFoundError](err)
	if !is || screen.NoPage == "" {
		return err
	}
	told := *missing
	told.Message += "; it may be on a page that is not shown: " + screen.NoPage
	return &told
}
