package config

// layer has the values of one source for one profile.
type layer struct {
	values  map[string]Value
	cleared map[string]bool // keys that have no value, even if a lower layer has one
}

// lay combines layers, highest first. A member of an exclusive group also hides the other members in lower layers: a workspacePath in the
// environment must not apply to a project whose file has a projectPath.
func (t Table) lay(layers ...layer) map[string]Value {
	out := map[string]Value{}
	keys, groups := map[string]bool{}, map[string]bool{} // settled by the layers above
	for _, l := range layers {
		for _, k := range t {
			if v, has := l.values[k.Name]; has && !keys[k.Name] && !groups[k.Group] {
				v.Value = clone(v.Value)
				out[k.Name] = v
			}
		}
		l.settle(t, keys, groups)
	}
	return out
}

func (l layer) settle(all Table, keys, groups map[string]bool) {
	for _, k := range all {
		_, has := l.values[k.Name]
		if has || l.cleared[k.Name] {
			keys[k.Name] = true
		}
		if has && k.Group != "" {
			groups[k.Group] = true
		}
	}
}
