// go run encode.go OUT PICTURE...: each picture (a PNG) by Go's own encoder, in several qualities, into OUT.
package main

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func write(name string, picture image.Image, quality int) {
	file, err := os.Create(name)
	check(err)
	check(jpeg.Encode(file, picture, &jpeg.Options{Quality: quality}))
	check(file.Close())
}

func main() {
	for i, path := range os.Args[2:] {
		file, err := os.Open(path)
		check(err)
		picture, err := png.Decode(file)
		check(err)
		file.Close()
		gray := image.NewGray(picture.Bounds())
		for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
			for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
				gray.Set(x, y, color.GrayModel.Convert(picture.At(x, y)))
			}
		}
		for _, quality := range []int{1, 30, 75, 90, 100} {
			write(fmt.Sprintf("%s/%d-%d.jpg", os.Args[1], i, quality), picture, quality)
			write(fmt.Sprintf("%s/%d-%d-gray.jpg", os.Args[1], i, quality), gray, quality)
		}
	}
}
