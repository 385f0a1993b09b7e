package layout

// CountIf returns 1 for what is so and 0 for what is not, to count by addition.
func CountIf(so bool) int {
	if so {
		return 1
	}
	return 0
}
