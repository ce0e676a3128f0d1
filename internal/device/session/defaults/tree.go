package defaults

import "ios-agent/internal/machine/yamlfile"

// document is a parsed config file.
type document struct{ yamlfile.Document }

type (
	scalar  = yamlfile.Scalar
	problem = yamlfile.Problem
)

func parse(text string) (document, error) {
	doc, err := yamlfile.Parse(text)
	return document{doc}, err
}
