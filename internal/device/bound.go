package device

// MostNodes is how many elements of a phone's screen a look has, whichever driver looks: a hostile or broken app may show hundreds of
// thousands. A driver tells it the other side, or keeps to it where it reads the tree.
const MostNodes = 5000

// LeftOut adds elements that were left out at two places; -1 are some, nobody knows how many.
func LeftOut(here, there int) int {
	if sum := max(here, 0) + max(there, 0); sum > 0 {
		return sum
	}
	return min(here, there)
}
