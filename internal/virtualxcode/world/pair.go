package world

// Pair is a watch and the phone it belongs to.
type Pair struct {
	ID           string
	Watch, Phone Device
	Connected    bool // both are booted
}

// pairID is the id of the one pair there is.
const pairID = "A50D83C1-7E42-4B96-9F0A-3C68E1D7B25F"

// Pairs lists the pairs whose two halves are there.
func (w *World) Pairs() []Pair {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch, phone := w.byUDID[pairedWatch], w.byUDID[pairedPhone]
	if watch == nil || phone == nil {
		return nil
	}
	now := w.clock.Now()
	p := Pair{ID: pairID, Watch: w.describe(watch, now), Phone: w.describe(phone, now)}
	p.Connected = p.Watch.State == Booted && p.Phone.State == Booted
	return []Pair{p}
}
