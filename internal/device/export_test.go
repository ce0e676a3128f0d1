package device

// AbilityWords is what a fault says of an ability.
func AbilityWords(name string) string { return abilities()[name] }
