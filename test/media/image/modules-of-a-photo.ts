/** `modules-of-a-photo.ts FOLDER RECIPE` processes a JPEG in that folder and prints the paths of all modules that were loaded as JSON. */
import { registerHooks } from 'node:module'
import path from 'node:path'
import sharp from 'sharp'

const [, , folder = '', recipe = ''] = process.argv
// Smaller photos are also compared with what FFmpeg makes of them.
const inputPath = path.join(folder, 'a.jpg')
await sharp({ create: { width: 400, height: 300, channels: 3, background: '#a50' } }).toFile(inputPath)

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const { processImage } = await import('../../../src/media/image/process-image.ts')
await processImage({
  inputPath,
  recipe: JSON.parse(recipe),
  variation: undefined,
  neverLarger: false,
  temporaryPath: (extension) => path.join(folder, `out.${extension}`),
  onProgress: () => {},
  signal: new AbortController().signal,
})
console.log(JSON.stringify(loaded))
