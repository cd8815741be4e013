import { describe, expect, it } from 'vitest'
import { safeFileName, withTrueEnding } from '../../src/node/file-name.ts'
import { readMediaContent } from '../../src/node/media-content.ts'
import { growthOf } from '../growth.ts'

describe('an untrusted name', () => {
  it.each([
    ['con.jpg', '_con.jpg'],
    ['NUL', '_NUL'],
    ['COM¹.png', '_COM¹.png'],
    ['lpt9 .png', '_lpt9 .png'],
    ['conin$', '_conin$'],
    ['com10.jpg', 'com10.jpg'],
    [' a photo.jpg. . ', 'a photo.jpg'],
    [`${'a'.repeat(199)} b`, 'a'.repeat(199)],
    [`${'a'.repeat(199)}.${'b'.repeat(20)}`, 'a'.repeat(199)],
    [`a${'\u0301'.repeat(200)}.jpg`, '_.jpg'],
    ['../..', undefined],
  ])('%j becomes %j', (name, expected) => {
    expect(safeFileName(name)).toBe(expected)
  })

  it('is made safe in linear time', () => {
    expect(growthOf(20_000, (size) => `${'. '.repeat(size / 2)}x`, safeFileName)).toBeLessThan(1.6)
  })
})

const PNG = readMediaContent(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
const JPEG = readMediaContent(Buffer.from('\xff\xd8\xff', 'latin1'))
const VIDEO = readMediaContent(Buffer.from('\0\0\0\x20ftypisom', 'latin1'))

describe('the extension of a received file', () => {
  it.each([
    ['photo.exe', PNG, 'photo.png'],
    ['photo.jpg.desktop', PNG, 'photo.jpg.png'],
    ['photo.jpg', PNG, 'photo.png'],
    ['photo', PNG, 'photo.png'],
    ['photo.JPEG', JPEG, 'photo.JPEG'],
    ['photo.jfif', JPEG, 'photo.jfif'],
    ['photo.lnk', JPEG, 'photo.jpg'],
    ['video.m4v', VIDEO, 'video.m4v'],
    ['video.app', VIDEO, 'video.mp4'],
  ])('%j becomes %3$j', (name, content, expected) => {
    expect(withTrueEnding(name, content)).toBe(expected)
  })

  it('keeps the extension of audio, which shares its containers with videos', () => {
    const content = readMediaContent(Buffer.from('\0\0\0\x1cftypM4A ', 'latin1'))
    expect(withTrueEnding('a song.m4a', content)).toBe('a song.m4a')
    expect(withTrueEnding('a song.opus', undefined)).toBe('a song.opus')
  })

  it('is never executable if the file is neither a photo nor a video', () => {
    expect(withTrueEnding('run.exe', undefined)).toBe('run.exe.bin')
    expect(withTrueEnding('run', undefined)).toBe('run.bin')
    // A broken photo keeps its extension, which is never an executable one.
    expect(withTrueEnding('photo.jpg', undefined)).toBe('photo.jpg')
  })
})
