package world

import "time"

// pads are the number keyboards, row by row. They have no return key: a tap elsewhere ends the input.
func pads() map[string]*[4]string {
	digits := func(corner string) *[4]string { return &[4]string{"123", "456", "789", corner + "0\b"} }
	return map[string]*[4]string{"numberpad": digits(" "), "decimalpad": digits("."), "phonepad": digits("+")}
}

// pad adds the keys of a pad; a space in its table is an empty place.
func (b keys) pad(rows *[4]string) {
	pitch := (b.width - 2*keyInset) / 3
	for i, row := range rows {
		for j, r := range []rune(row) {
			frame := Rect{X: pixel(b.left + keyInset + pitch*float64(j) + keyGap/2), Y: b.y(i), W: pitch - keyGap, H: b.keyHeight()}
			switch r {
			case ' ':
			case '\b':
				b.add("Key", "delete", "Delete", frame, func(now time.Time) { b.enter('\b', now) })
			default:
				b.character(r, frame)
			}
		}
	}
}
