package debugger

// Adapter is the process of lldb-dap.
func (d *Debugger) Adapter() int { return d.adapter.process.PID }
