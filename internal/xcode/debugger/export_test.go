package debugger

import "context"

// Adapter is the process of lldb-dap.
func (d *Debugger) Adapter() int { return d.adapter.process.PID }

// StandsAt is the number of the breakpoint whose code the paused program is at; 0: of none.
func (d *Debugger) StandsAt(ctx context.Context) (int, error) {
	thread, _, err := d.paused()
	if err != nil {
		return 0, err
	}
	frames, _, err := d.frames(ctx, thread, 0, 1)
	if err != nil || len(frames) == 0 {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.places[frames[0].pc], nil
}
