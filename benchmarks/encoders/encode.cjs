// node encode.cjs OUT PICTURE...: each picture (raw RGBA, NAME_WIDTHxHEIGHT.rgba) by the package jpeg-js, into OUT.
const fs = require('fs');
const path = require('path');
const jpeg = require('jpeg-js');

const [out, ...pictures] = process.argv.slice(2);
for (const [number, picture] of pictures.entries()) {
  const [, width, height] = picture.match(/_(\d+)x(\d+)\.rgba$/).map(Number);
  const data = fs.readFileSync(picture);
  for (const quality of [1, 10, 50, 75, 90, 100]) {
    fs.writeFileSync(path.join(out, `${number}-${quality}.jpg`), jpeg.encode({data, width, height}, quality).data);
  }
}
