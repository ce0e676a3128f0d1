package act

import "ios-agent/internal/fault"

// sent follows a step that sends several inputs. Once one may have arrived, no error of the step may say that nothing was sent.
type sent struct{ any bool }

// input takes the result of one input.
func (s *sent) input(err error) error {
	if err == nil || fault.From(err).Dispatched == fault.MaybeDispatched || fault.From(err).Dispatched == fault.Dispatched {
		s.any = true
	}
	return err
}

// fail gives the error of the step what is true of all its inputs.
func (s *sent) fail(err error) error {
	if err == nil || !s.any {
		return err
	}
	f := fault.From(err)
	if f.Dispatched == fault.MaybeDispatched || f.Dispatched == fault.Dispatched {
		return err
	}
	return f.WithDispatch(fault.Dispatched)
}
