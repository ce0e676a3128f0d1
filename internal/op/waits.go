package op

import "time"

// tellEvery is how often a call that waits says so. Clients give up on a call that is silent.
const tellEvery = 2 * time.Second

// Waits tells the caller at once, and then again and again, for what the call waits, for how long it has and how long it will at most. It
// ends with the function that it gives.
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
