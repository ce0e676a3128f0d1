package config

import "ios-agent/internal/machine/docfile"

// document is a parsed config file.
type document struct{ docfile.Document }

type (
	scalar  = docfile.Scalar
	problem = docfile.Problem
)

func parse(text string) (document, error) {
	doc, err := docfile.YAML(text)
	return document{doc}, err
}
