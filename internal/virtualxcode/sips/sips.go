// Package sips plays the part of macOS's image tool that other programs use: shrinking a picture to a longest
// edge, and turning PNG into JPEG.
package sips

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/image/draw"

	"ios-agent/internal/machine/regularfile"
	"ios-agent/internal/virtualxcode/mark"
	"ios-agent/internal/virtualxcode/tool"
)

// exitFailed is the exit status of sips when it fails.
const exitFailed = 13

// job is a sips command line.
type job struct {
	longest int
	format  string
	quality int
	in, out string
}

// Run plays one command line.
func Run(c tool.Call) int {
	j, err := parse(c.Args)
	if err == nil {
		err = j.do(c)
	}
	if err != nil {
		fmt.Fprintf(c.Stderr, "Error: %v\n", err)
		return exitFailed
	}
	fmt.Fprintf(c.Stdout, "%s\n  %s\n", j.in, j.out)
	return 0
}

// parse reads -Z N, -s format F, -s formatOptions Q, IN and --out OUT.
func parse(argv []string) (j job, err error) {
	j.quality = 80
	for i := 0; i < len(argv); i++ {
		rest := argv[i+1:]
		switch arg := argv[i]; {
		case arg == "-Z" && len(rest) > 0:
			j.longest, err = strconv.Atoi(rest[0])
			i++
		case arg == "-s" && len(rest) > 1:
			err = j.set(rest[0], rest[1])
			i += 2
		case arg == "--out" && len(rest) > 0:
			j.out = rest[0]
			i++
		case strings.HasPrefix(arg, "-"):
			err = fmt.Errorf("unknown function %q", arg)
		default:
			j.in = arg
		}
		if err != nil {
			return j, err
		}
	}
	if j.in == "" {
		return j, errors.New("no file was specified")
	}
	if j.out == "" {
		j.out = j.in
	}
	return j, nil
}

func (j *job) set(key, value string) (err error) {
	switch key {
	case "format":
		j.format = value
	case "formatOptions":
		j.quality, err = strconv.Atoi(strings.TrimSuffix(value, "%"))
	}
	return err
}

const maxPicture = 64 << 20 // bytes of a picture

func (j job) do(c tool.Call) error {
	raw, err := regularfile.Read(c.Path(j.in), maxPicture)
	if err != nil {
		return fmt.Errorf("%q is not a valid file", filepath.Base(j.in))
	}
	picture, was, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("cannot extract image from file: %w", err)
	}
	var out bytes.Buffer
	if format := j.format; format == "jpeg" || format == "" && was == "jpeg" {
		err = jpeg.Encode(&out, shrink(picture, j.longest), &jpeg.Options{Quality: j.quality})
	} else {
		err = png.Encode(&out, shrink(picture, j.longest))
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Path(j.out), out.Bytes(), 0o600)
}

// shrink scales a picture so that its longest edge is as asked; 0 leaves it.
func shrink(picture image.Image, longest int) image.Image {
	size := picture.Bounds()
	edge := max(size.Dx(), size.Dy())
	if longest <= 0 || edge == longest {
		return picture
	}
	small := image.NewRGBA(image.Rect(0, 0, max(1, size.Dx()*longest/edge), max(1, size.Dy()*longest/edge)))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, size, draw.Src, nil)
	return small
}

// Marks say what is known of the real sips.
func Marks() []mark.Mark {
	return []mark.Mark{{Tool: "sips", Behaviour: "-Z, -s format, -s formatOptions and --out as executed by peers; exit 13 on a file " +
		"that is no picture", Source: mark.Assumed}}
}
