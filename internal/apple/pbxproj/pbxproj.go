package pbxproj

import (
	"maps"
	"path"
	"slices"
)

// objectVersion is the version of Xcode 14 and newer; the next one needs folders instead of lists of files.
const objectVersion = "56"

// writer collects the objects of one project.
type writer struct {
	p       Project
	objects []object
}

// PBXProj is the contents of project.pbxproj.
func (p Project) PBXProj() []byte {
	w := &writer{p: p}
	root := ref{id(p.Name, "project"), "Project object"}
	main, products := w.groups()
	targets := list{}
	for _, t := range p.Targets {
		targets = append(targets, w.target(t))
	}
	w.add(root, "PBXProject", fields{
		{"attributes", w.attributes()},
		{"buildConfigurationList", w.configurations(p.Name, "PBXProject", p.Configurations)},
		{"compatibilityVersion", "Xcode 14.0"},
		{"developmentRegion", "en"},
		{"hasScannedForEncodings", "0"},
		{"knownRegions", list{"en", "Base"}},
		{"mainGroup", main},
		{"packageReferences", w.packages()},
		{"productRefGroup", products},
		{"projectDirPath", ""},
		{"projectRoot", ""},
		{"targets", targets},
	})
	return text(w.objects, objectVersion, root)
}

func (w *writer) add(r ref, isa string, f fields) ref {
	w.objects = append(w.objects, object{r, isa, f})
	return r
}

func (w *writer) attributes() fields {
	perTarget := fields{}
	for _, t := range w.p.Targets {
		f := fields{{"CreatedOnToolsVersion", "16.4"}}
		if host := w.host(t); t.Kind.Tests() && host != "" {
			f = append(f, field{"TestTargetID", w.targetRef(host).id})
		}
		perTarget = append(perTarget, field{w.targetRef(t.Name).id, f})
	}
	f := fields{{"BuildIndependentTargetsInParallel", "1"}, {"LastSwiftUpdateCheck", "1640"}, {"LastUpgradeCheck", "1640"}}
	if w.p.Organization != "" {
		f = append(f, field{"ORGANIZATIONNAME", w.p.Organization})
	}
	return append(f, field{"TargetAttributes", perTarget})
}

// host is the app that a target's tests run in.
func (w *writer) host(t Target) string {
	for _, name := range t.Dependencies {
		if other, ok := w.p.Target(name); ok && other.Kind == App {
			return name
		}
	}
	return ""
}

func (w *writer) targetRef(name string) ref { return ref{id(w.p.Name, "target", name), name} }

func (w *writer) productRef(t Target) ref {
	return ref{id(w.p.Name, "product", t.Name), t.Name + "." + t.Kind.Extension()}
}

func (w *writer) packages() list {
	all := list{}
	for _, dir := range w.p.Packages {
		r := ref{id(w.p.Name, "package", dir), `XCLocalSwiftPackageReference "` + dir + `"`}
		all = append(all, w.add(r, "XCLocalSwiftPackageReference", fields{{"relativePath", dir}}))
	}
	return all
}

// configurations writes the configuration list of an owner, with its content.
func (w *writer) configurations(name, isa string, all []Configuration) ref {
	refs := list{}
	for _, c := range all {
		settings := fields{}
		for _, key := range slices.Sorted(maps.Keys(c.Settings)) {
			settings = append(settings, field{key, c.Settings[key]})
		}
		r := ref{id(w.p.Name, isa, name, "configuration", c.Name), c.Name}
		refs = append(refs, w.add(r, "XCBuildConfiguration", fields{{"buildSettings", settings}, {"name", c.Name}}))
	}
	r := ref{id(w.p.Name, isa, name, "configurations"), "Build configuration list for " + isa + ` "` + name + `"`}
	return w.add(r, "XCConfigurationList", fields{
		{"buildConfigurations", refs},
		{"defaultConfigurationIsVisible", "0"},
		{"defaultConfigurationName", defaultConfiguration(all)},
	})
}

// defaultConfiguration is the last one: Release, as in Xcode's own templates.
func defaultConfiguration(all []Configuration) string {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Name
}

func base(file string) string { return path.Base(file) }
