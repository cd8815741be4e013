import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, expect, test, vi } from 'vitest'
import { nativeImage } from './electron/native-image.ts'

const ICONS = join(import.meta.dirname, '../../assets/icons')
afterEach(() => void vi.unstubAllEnvs())

const made = () => sharp({ create: { width: 8, height: 8, channels: 3, background: '#386' } })

const isEmpty = (bytes: Buffer): boolean => nativeImage.createFromBuffer(bytes).isEmpty()

test('PNG and JPEG are images; anything else is an empty image, as in Electron', async () => {
  const [png, jpeg, webp] = [
    await made().png().toBuffer(),
    await made().jpeg().toBuffer(),
    await made().webp().toBuffer(),
  ]
  expect([png, jpeg, webp, Buffer.from('no image')].map(isEmpty)).toEqual([false, false, true, true])
  expect(nativeImage.createFromBuffer(webp).resize({ width: 4 }).isEmpty()).toBe(true)
})

test('an ICO can be read only from its file and only on Windows', () => {
  const path = join(ICONS, 'tray/idle-black.ico')
  for (const platform of ['linux', 'darwin']) {
    vi.stubEnv('MEDIATRAY_STAND_IN_PLATFORM', platform)
    expect(nativeImage.createFromPath(path).isEmpty()).toBe(true)
  }
  vi.stubEnv('MEDIATRAY_STAND_IN_PLATFORM', 'win32')
  expect(nativeImage.createFromPath(path).isEmpty()).toBe(false)
  expect(nativeImage.createFromBuffer(readFileSync(path)).isEmpty()).toBe(true)
})
