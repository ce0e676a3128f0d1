package device

// MostNodes is the maximum number of elements in a look at a phone's screen: a hostile or broken app may show hundreds of thousands. A
// driver passes the limit on, or applies it while it reads the tree.
const MostNodes = 5000

// LeftOut adds the numbers of elements left out at two places; -1 means an unknown number.
func LeftOut(here, there int) int {
	if sum := max(here, 0) + max(there, 0); sum > 0 {
		return sum
	}
	return min(here, there)
}
