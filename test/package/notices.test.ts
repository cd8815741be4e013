import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AV_CODEC_ID_AAC, FF_DECODER_LIBFDK_AAC } from 'node-av/constants'
import { Codec } from 'node-av/lib'
import { expect, test } from 'vitest'
import { makeNotices, NOTICES } from '../../scripts/notices/notices.ts'
import { moduleNotices } from '../../scripts/notices/modules.ts'

const root = join(import.meta.dirname, '../..')
const committed = readFileSync(join(root, NOTICES), 'utf8')

test('the notices match the installed modules; to update: npm run notices', () => {
  expect(committed === makeNotices(root)).toBe(true)
})

test('the notices name the codecs and the runtime, with license and source', () => {
  for (const name of [
    'FFmpeg',
    'x264',
    'x265',
    'Fraunhofer FDK AAC',
    'libvips 8',
    'libheif',
    'Node.js 24',
    'Electron ',
    'SSIMULACRA 2',
  ])
    expect(committed).toMatch(new RegExp(`^${name}.*\nLicense: .+\n(Copyright .+\n)?Source:  https?://`, 'm'))
})

test('the notices have the text of every license of native code', () => {
  const named = [...committed.matchAll(/^License: (.+)\nCopyright/gm)].flatMap(
    ([, names]) => names?.split(', ') ?? [],
  )
  expect(named.length).toBeGreaterThan(60)
  const texts = committed.slice(committed.lastIndexOf('\n7. Texts of the licenses'))
  expect(named.filter((name) => !texts.includes(`\n${name}\n\n`))).toEqual([])
})

test('the notices have a license, a source and a text or an author for every module', () => {
  const modules = moduleNotices(root)
  expect(modules.length).toBeGreaterThan(60)
  for (const { name, license, source } of modules) {
    expect(license, name).not.toBe('')
    expect(source, name).toMatch(/^https?:\/\//)
  }
})

test('AAC is decoded by FFmpeg’s own code, although FDK AAC is included', () => {
  expect(Codec.findDecoderByName(FF_DECODER_LIBFDK_AAC)).not.toBeNull()
  expect(Codec.findDecoder(AV_CODEC_ID_AAC)?.name).toBe('aac')
})
