package pbxproj

// phase is one build phase of a target, before its files have refs.
type phase struct {
	isa, name string
	files     []ref
}

// target writes a native target with its phases and dependencies.
func (w *writer) target(t Target) ref {
	phases := list{}
	for _, p := range w.phases(t) {
		files := list{}
		for _, f := range p.files {
			files = append(files, f)
		}
		r := ref{id(w.p.Name, t.Name, p.isa), p.name}
		phases = append(phases, w.add(r, p.isa, fields{
			{"buildActionMask", "2147483647"}, {"files", files}, {"runOnlyForDeploymentPostprocessing", "0"},
		}))
	}
	for _, script := range t.Scripts {
		phases = w.addScript(t, script, phases)
	}
	return w.add(w.targetRef(t.Name), "PBXNativeTarget", fields{
		{"buildConfigurationList", w.configurations(t.Name, "PBXNativeTarget", t.Configurations)},
		{"buildPhases", phases},
		{"buildRules", list{}},
		{"dependencies", w.dependencies(t)},
		{"name", t.Name},
		{"packageProductDependencies", w.products(t)},
		{"productName", t.Name},
		{"productReference", w.productRef(t)},
		{"productType", string(t.Kind)},
	})
}

// addScript writes a script phase, before all others or after them.
func (w *writer) addScript(t Target, s Script, phases list) list {
	outputs, always := list{}, "0"
	if s.Outputs {
		outputs = list{"$(DERIVED_FILE_DIR)/" + s.Name}
	}
	if s.Always {
		always = "1"
	}
	r := w.add(ref{id(w.p.Name, t.Name, "script", s.Name), s.Name}, "PBXShellScriptBuildPhase", fields{
		{"alwaysOutOfDate", always}, {"buildActionMask", "2147483647"}, {"files", list{}}, {"inputPaths", list{}}, {"name", s.Name},
		{"outputPaths", outputs},
		{"runOnlyForDeploymentPostprocessing", "0"}, {"shellPath", "/bin/sh"}, {"shellScript", "true\n"},
	})
	if s.Early {
		return append(list{r}, phases...)
	}
	return append(phases, r)
}

func (w *writer) phases(t Target) []phase {
	frameworks := []ref{}
	for _, name := range t.Products {
		r := ref{id(w.p.Name, t.Name, "product in frameworks", name), name + " in Frameworks"}
		frameworks = append(frameworks, w.add(r, "PBXBuildFile", fields{{"productRef", w.productDependency(t, name)}}))
	}
	return []phase{
		{"PBXSourcesBuildPhase", "Sources", w.buildFiles(t, "Sources", t.Sources)},
		{"PBXFrameworksBuildPhase", "Frameworks", frameworks},
		{"PBXResourcesBuildPhase", "Resources", w.buildFiles(t, "Resources", t.Resources)},
	}
}

func (w *writer) buildFiles(t Target, phase string, files []string) []ref {
	refs := []ref{}
	for _, file := range files {
		r := ref{id(w.p.Name, t.Name, phase, file), base(file) + " in " + phase}
		refs = append(refs, w.add(r, "PBXBuildFile", fields{{"fileRef", w.fileRef(file)}}))
	}
	return refs
}

func (w *writer) dependencies(t Target) list {
	all := list{}
	for _, name := range t.Dependencies {
		proxy := w.add(ref{id(w.p.Name, t.Name, "proxy", name), "PBXContainerItemProxy"}, "PBXContainerItemProxy", fields{
			{"containerPortal", ref{id(w.p.Name, "project"), "Project object"}},
			{"proxyType", "1"},
			{"remoteGlobalIDString", w.targetRef(name).id},
			{"remoteInfo", name},
		})
		r := ref{id(w.p.Name, t.Name, "dependency", name), "PBXTargetDependency"}
		all = append(all, w.add(r, "PBXTargetDependency", fields{{"target", w.targetRef(name)}, {"targetProxy", proxy}}))
	}
	return all
}

func (w *writer) productDependency(t Target, name string) ref {
	return ref{id(w.p.Name, t.Name, "package product", name), name}
}

func (w *writer) products(t Target) list {
	all := list{}
	for _, name := range t.Products {
		all = append(all, w.add(w.productDependency(t, name), "XCSwiftPackageProductDependency", fields{{"productName", name}}))
	}
	return all
}
