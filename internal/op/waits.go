package op

import "time"

// tellEvery is the interval at which a waiting call reports. Clients give up on a call that is silent.
const tellEvery = 2 * time.Second

// Waits reports to the caller, at once and then repeatedly, what the call waits for, how long it has waited, and the maximum. The returned
// function ends the reports.
func (c *Call) Waits(what string, most time.Duration) (over func()) {
	if c.progress == nil {
		return func() {}
	}
	began, stop, told := time.Now(), make(chan struct{}), make(chan struct{})
	tell := func() {
		c.Report(Event{Message: "waiting for " + what, Done: time.Since(began).Seconds(), Total: most.Seconds()})
	}
	tell()
	go func() {
		defer close(told)
		next := time.NewTicker(tellEvery)
		defer next.Stop()
		for {
			select {
			case <-stop:
				return
			case <-next.C:
				tell()
			}
		}
	}()
	return func() { close(stop); <-told }
}
