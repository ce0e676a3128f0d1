package mock

// Parse reads a file without its folder, for the fuzzer.
func Parse(file string, data []byte) ([]Rule, []Problem) { return parse("", file, data) }
