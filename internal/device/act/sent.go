package act

import "ios-agent/internal/fault"

// sent follows a step of several inputs. Once one input may have arrived, no error of the step may claim the opposite.
type sent struct{ any bool }

// input records the result of one input.
func (s *sent) input(err error) error {
	if err == nil || fault.From(err).Dispatched == fault.MaybeDispatched || fault.From(err).Dispatched == fault.Dispatched {
		s.any = true
	}
	return err
}

// fail adds the dispatch state of all inputs to the step's error.
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
