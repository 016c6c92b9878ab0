"""Turns the bytes of any file into a JPEG or PNG that TensorFlow decodes, or says why it cannot.

`check` is the gate that callers use; the other modules are its parts, and only `encode` knows
options too:

- `sniff`: what do these bytes look like, by content and never by file name
- `jpeg`, `jpeg_segments`, `jpeg_decode`, `jpeg_huffman`: is this JPEG whole (a walk over all markers, a
  strict decode)
- `gate`, `_jpeg_walk`: which of two checks judges the picture data of JPEGs, and the faster one, in C
  (`native`), where there was a compiler
- `png`: is this PNG whole (its chunks, its inflated rows)
- `headers`: sizes of a WebP and of a TIFF's tiles
- `exif`: orientation and GPS position, from the EXIF of a JPEG or a PNG
- `decode`, `pillow_guard`: decoding other formats, and what is to be turned or shrunk, with Pillow
- `encode`: turning, shrinking and encoding as JPEG or PNG
- `checked_image`: what comes of it, and what was done to it, for boxes to follow
- `target_size`: how large an image is stored
- `codec_versions`: versions of the libraries that decode and encode
- `notes`: what the summary counts by name

`decode`, `encode`, `jpeg_decode` and `codec_versions` load Pillow or simplejpeg, and are themselves imported
where an image needs them. TensorFlow is never imported.
"""
