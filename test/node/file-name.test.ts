import { describe, expect, it } from 'vitest'
import { withTrueEnding } from '../../src/node/file-name.ts'
import { readMediaContent } from '../../src/node/media-content.ts'

const PNG = readMediaContent(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
const JPEG = readMediaContent(Buffer.from('\xff\xd8\xff', 'latin1'))
const FILM = readMediaContent(Buffer.from('\0\0\0\x20ftypisom', 'latin1'))

describe('the ending of what came', () => {
  it.each([
    ['photo.exe', PNG, 'photo.png'],
    ['photo.jpg.desktop', PNG, 'photo.jpg.png'],
    ['photo.jpg', PNG, 'photo.png'],
    ['photo', PNG, 'photo.png'],
    ['photo.JPEG', JPEG, 'photo.JPEG'],
    ['photo.lnk', JPEG, 'photo.jpg'],
    ['film.m4v', FILM, 'film.m4v'],
    ['film.app', FILM, 'film.mp4'],
  ])('%j becomes %3$j', (name, content, expected) => {
    expect(withTrueEnding(name, content)).toBe(expected)
  })

  it('of what is neither photo nor video is none that a system could run', () => {
    expect(withTrueEnding('run.exe', undefined)).toBe('run.exe.bin')
    expect(withTrueEnding('run', undefined)).toBe('run.bin')
    // A broken photo still is what its name says: nothing that runs.
    expect(withTrueEnding('photo.jpg', undefined)).toBe('photo.jpg')
  })
})
