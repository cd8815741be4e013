import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { nativeImage } from './electron/native-image.ts'

const ICONS = join(import.meta.dirname, '../../assets/icons')
const made = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#386' } })

const isEmpty = (bytes: Buffer): boolean => nativeImage.createFromBuffer(bytes).isEmpty()

test('PNG and JPEG are images, and anything else is an empty one, as it is in Electron', async () => {
  const [png, jpeg, webp] = [
    await made().png().toBuffer(),
    await made().jpeg().toBuffer(),
    await made().webp().toBuffer(),
  ]
  expect([png, jpeg, webp, Buffer.from('no image')].map(isEmpty)).toEqual([false, false, true, true])
  expect(nativeImage.createFromBuffer(webp).resize({ width: 4 }).isEmpty()).toBe(true)
})

test('an ICO is read from its file only', () => {
  const path = join(ICONS, 'tray/idle-black.ico')
  expect(nativeImage.createFromPath(path).isEmpty()).toBe(false)
  expect(nativeImage.createFromBuffer(readFileSync(path)).isEmpty()).toBe(true)
})
