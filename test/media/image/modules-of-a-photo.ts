/** `modules-of-a-photo.ts FOLDER` processes a JPEG in that folder and prints the paths of all loaded CommonJS modules as JSON. */
import { createRequire } from 'node:module'
import path from 'node:path'
import sharp from 'sharp'
import { processImage } from '../../../src/media/image/process-image.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

const folder = process.argv[2] ?? ''
const inputPath = path.join(folder, 'a.jpg')
await sharp({ create: { width: 30, height: 20, channels: 3, background: '#a50' } }).toFile(inputPath)
await processImage({
  inputPath,
  recipe: ImageRecipe.parse({}),
  variation: undefined,
  neverLarger: false,
  temporaryPath: (extension) => path.join(folder, `out.${extension}`),
  onProgress: () => {},
  signal: new AbortController().signal,
})
console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)))
