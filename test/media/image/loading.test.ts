import { createRequire } from 'node:module'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const { cache } = createRequire(import.meta.url)
const isLoaded = (name: string): boolean =>
  Object.keys(cache).some((path) => path.replaceAll('\\', '/').includes(`/node_modules/${name}/`))

test('a photo waits for no decoder that it does not need', async () => {
  const pixels = sharp({ create: { width: 30, height: 20, channels: 3, background: '#a50' } })
  await processPhoto(await photoFile('a.jpg', pixels.jpeg()))
  expect(['libheif-js', 'node-av'].filter(isLoaded)).toEqual([])
})
