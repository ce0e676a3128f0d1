package pbxproj

import (
	"path"
	"slices"
	"strings"
)

// folder is a group under construction.
type folder struct {
	path    string
	files   []string
	folders []*folder
}

// groups writes the tree of folders and files, and the group of products.
func (w *writer) groups() (main, products ref) {
	root := &folder{}
	for _, t := range w.p.Targets {
		for _, file := range slices.Concat(t.Sources, t.Resources) {
			root.add(file)
		}
	}
	children := w.children(root)
	for _, dir := range w.p.Packages {
		r := ref{id(w.p.Name, "file", dir), base(dir)}
		w.add(r, "PBXFileReference", fields{{"lastKnownFileType", "wrapper"}, {"name", base(dir)}, {"path", dir}, {"sourceTree", "SOURCE_ROOT"}})
		children = append(children, r)
	}
	products = w.productGroup()
	main = ref{id(w.p.Name, "main group"), ""}
	w.add(main, "PBXGroup", fields{{"children", append(children, products)}, {"sourceTree", "<group>"}})
	return main, products
}

// add puts a file into its folder; a file of two targets occurs once.
func (f *folder) add(file string) {
	at := f
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		if dir != "." {
			at = at.child(path.Join(at.path, dir))
		}
	}
	if !slices.Contains(at.files, file) {
		at.files = append(at.files, file)
	}
}

func (f *folder) child(dir string) *folder {
	for _, c := range f.folders {
		if c.path == dir {
			return c
		}
	}
	c := &folder{path: dir}
	f.folders = append(f.folders, c)
	return c
}

func (w *writer) children(f *folder) list {
	all := list{}
	for _, c := range f.folders {
		r := ref{id(w.p.Name, "group", c.path), base(c.path)}
		all = append(all, w.add(r, "PBXGroup", fields{{"children", w.children(c)}, {"path", base(c.path)}, {"sourceTree", "<group>"}}))
	}
	for _, file := range f.files {
		all = append(all, w.add(w.fileRef(file), "PBXFileReference", fields{
			{"lastKnownFileType", fileType(file)}, {"path", base(file)}, {"sourceTree", "<group>"},
		}))
	}
	return all
}

func (w *writer) fileRef(file string) ref { return ref{id(w.p.Name, "file", file), base(file)} }

func (w *writer) productGroup() ref {
	children := list{}
	for _, t := range w.p.Targets {
		r := w.productRef(t)
		children = append(children, w.add(r, "PBXFileReference", fields{
			{"explicitFileType", productTypes[t.Kind.Extension()]}, {"includeInIndex", "0"}, {"path", r.comment},
			{"sourceTree", "BUILT_PRODUCTS_DIR"},
		}))
	}
	return w.add(ref{id(w.p.Name, "products group"), "Products"}, "PBXGroup", fields{
		{"children", children}, {"name", "Products"}, {"sourceTree", "<group>"},
	})
}
