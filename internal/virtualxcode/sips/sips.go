// Package sips is the part of macOS's image tool that other programs use: scaling a picture to a longest edge or to a size, and
// converting PNG to JPEG. Run plays one command line.
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
	size    image.Point // width and height; zero: longest decides
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

// parse reads -Z N, -z HEIGHT WIDTH, -s format F, -s formatOptions Q, IN and --out OUT.
func parse(argv []string) (j job, err error) {
	j.quality = 80
	for i := 0; i < len(argv); i++ {
		rest := argv[i+1:]
		switch arg := argv[i]; {
		case arg == "-Z" && len(rest) > 0:
			j.longest, err = strconv.Atoi(rest[0])
			i++
		case (arg == "-z" || arg == "--resampleHeightWidth") && len(rest) > 1:
			err = j.resample(rest[0], rest[1])
			i += 2
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

// resample reads the height and the width, in sips' order.
func (j *job) resample(height, width string) (err error) {
	if j.size.Y, err = strconv.Atoi(height); err == nil {
		j.size.X, err = strconv.Atoi(width)
	}
	if err == nil && (j.size.X < 1 || j.size.Y < 1 || j.size.X > mostEdge || j.size.Y > mostEdge) {
		err = fmt.Errorf("a picture of %s by %s pixels cannot be made", height, width)
	}
	return err
}

// mostEdge is the maximum edge of a scaled picture.
const mostEdge = 16384

func (j *job) set(key, value string) (err error) {
	switch key {
	case "format":
		j.format = value
	case "formatOptions":
		j.quality, err = strconv.Atoi(strings.TrimSuffix(value, "%"))
	}
	return err
}

const maxPicture = 64 << 20 // maximum size of a picture in bytes

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
		err = jpeg.Encode(&out, j.scaled(picture), &jpeg.Options{Quality: j.quality})
	} else {
		err = png.Encode(&out, j.scaled(picture))
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Path(j.out), out.Bytes(), 0o600)
}

// scaled returns a picture scaled to the requested size or longest edge, or unchanged.
func (j job) scaled(picture image.Image) image.Image {
	size, to := picture.Bounds(), j.size
	if edge := max(size.Dx(), size.Dy()); to == (image.Point{}) && j.longest > 0 && edge != j.longest {
		to = image.Pt(max(1, size.Dx()*j.longest/edge), max(1, size.Dy()*j.longest/edge))
	}
	if to == (image.Point{}) || to == size.Size() {
		return picture
	}
	small := image.NewRGBA(image.Rectangle{Max: to})
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, size, draw.Src, nil)
	return small
}

// Marks are the behaviours of sips.
func Marks() []mark.Mark {
	return []mark.Mark{{Tool: "sips", Behaviour: "-Z, -z, -s format, -s formatOptions and --out as executed by peers; exit 13 on a file " +
		"that is not a picture", Source: mark.Assumed}}
}
