package desktop

import (
	"context"
	"image"
	"time"

	"ios-agent/internal/desktop"
	"ios-agent/internal/device"
	"ios-agent/internal/device/act"
	"ios-agent/internal/device/pool"
	"ios-agent/internal/fault"
	"ios-agent/internal/hint"
	"ios-agent/internal/machine/outfile"
	"ios-agent/internal/op"
	"ios-agent/internal/ops/access"
	"ios-agent/internal/ui"
	"ios-agent/internal/ui/picture"
)

// Looking says what to read of a session's windows.
type Looking struct {
	Session string
	Tree    bool
	Picture bool
	ID      string // of the element in the picture; empty: the top window
	desktop.Pick
}

// Scene is the result of a look.
type Scene struct {
	desktop.Shown
	Total   int // number of nodes that were read
	Took    time.Duration
	Toolkit string
	Picture *Picture
}

// Picture is a picture of a window or an element: a file, and a copy for the answer.
type Picture struct {
	Path string
	picture.Size
	Copy picture.Size

	copied picture.Picture
}

// Image is the copy for the answer.
func (p *Picture) Image() op.Image { return op.Image{MIME: p.copied.MIME, Data: p.copied.Data} }

// Pictures makes and saves pictures of devices.
type Pictures interface {
	Make(source image.Image, of device.Info, how picture.Fit) (picture.Picture, error)
	Save(to outfile.File, of device.Info, format string, data []byte) (string, error)
}

// desktopCopy is the maximum size of a window's picture for a model. It is larger than for phones, because text on a desktop is small.
var desktopCopy = picture.Fit{Edge: 1568}

// Look reads the windows of a session's process.
func (d *Desktop) Look(ctx context.Context, c *op.Call, in Looking) (out Scene, err error) {
	h, session, err := d.open(ctx, c, in.Session, "look at its windows")
	if err != nil {
		return out, err
	}
	err = d.d.Access.Step(ctx, &access.Looking{Call: c, Handle: h, Session: session}, func(s act.Step) error {
		if err := s.Look(ctx, func(screen *ui.Screen, refs *ui.Refs) { err = out.read(h, in, screen, refs) }); err != nil {
			return err
		}
		if err == nil && in.Picture {
			out.Picture, err = d.photograph(ctx, h, in.ID)
		}
		return err
	})
	return out, d.gone(c, in.Session, "look at its windows", err)
}

// read fills the scene. From now on, the elements in it have the same names in all tools of the session.
func (s *Scene) read(h *pool.Handle, in Looking, screen *ui.Screen, refs *ui.Refs) error {
	_, tree, err := seen(h)
	if err != nil {
		return err
	}
	s.Took, s.Toolkit = tree.Took, tree.Toolkit
	tree.Walk(func(*desktop.Node) bool { s.Total++; return true })
	if in.Tree {
		s.Shown = tree.Show(in.Pick)
		refs.NameGiven(h.Info().UDID, screen, s.IDs)
	}
	return nil
}

// seen gives the process of a device and its windows at the last look.
func seen(h *pool.Handle) (desktop.Process, *desktop.Tree, error) {
	p, err := device.As[desktop.Process](h.Device)
	if err != nil {
		return nil, nil, err
	}
	tree := p.Seen()
	if tree == nil || len(tree.Windows) == 0 {
		return nil, nil, fault.New(fault.AppNotInFront, "%s shows no window", h.Info().Name).WithDispatch(fault.NotDispatched).
			WithHint("wait a moment, or check that its window is open: %s lists the windows", hint.Do("debug_windows"))
	}
	return p, tree, nil
}

// gone is the fault of a look or an action; if the process has ended meanwhile, the fault says so.
func (d *Desktop) gone(c *op.Call, id, what string, err error) error {
	if fault.Is(err, fault.OutcomeUnknown) {
		return fault.From(err).WithHint("the input may have arrived; look before you repeat it: %s", hint.Do("debug_ui", "sessionId", id))
	}
	if fault.Is(err, fault.AppEnded) {
		return fault.From(err).WithHint("%s shows its exit and its last output", printed(id))
	}
	if !fault.Is(err, fault.AppNotRunning) {
		return err
	}
	s, found := d.d.Processes.Get(c.Session, id)
	switch {
	case found != nil:
		return err
	case !s.Running():
		return exited(s.PID, id, what)
	}
	return fault.New(fault.AppNotInFront, "%w", err).WithDispatch(fault.NotDispatched).
		WithHint("wait a moment, or check that its window is open: %s lists the windows", hint.Do("debug_windows"))
}

// photograph takes a picture of the top window, or of the element with this id.
func (d *Desktop) photograph(ctx context.Context, h *pool.Handle, id string) (*Picture, error) {
	p, tree, err := seen(h)
	if err != nil {
		return nil, err
	}
	key := ""
	var node *desktop.Node
	if id != "" {
		if node = p.Node(id); node == nil {
			return nil, fault.New(fault.ElementNotFound, "node not found: %.80q", id).With("field", "id").
				WithHint("%s shows the ids", hint.Do("debug_ui", "sessionId", "SESSION"))
		}
		if w := tree.WindowOf(node); w != nil {
			key = w.Key
		}
	}
	source, at, err := p.Performer().App.Capture(ctx, key)
	if err != nil {
		return nil, err
	}
	scale := 0.0
	if at.W > 0 {
		scale = float64(source.Bounds().Dx()) / at.W
	}
	if node != nil {
		if source, err = desktop.Crop(source, at, node); err != nil {
			return nil, err
		}
	}
	return d.save(h, source, scale)
}

func (d *Desktop) save(h *pool.Handle, source image.Image, scale float64) (*Picture, error) {
	whole, err := d.d.Pictures.Make(source, h.Info(), picture.Fit{})
	if err != nil {
		return nil, err
	}
	small, err := d.d.Pictures.Make(source, h.Info(), desktopCopy)
	if err != nil {
		return nil, err
	}
	path, err := d.d.Pictures.Save(outfile.File{}, h.Info(), picture.PNG, whole.Data)
	if err != nil {
		return nil, err
	}
	return &Picture{Path: path, Size: picture.SizeOf(whole, source, scale), Copy: picture.SizeOf(small, source, scale), copied: small}, nil
}
