/**
 * A malicious service can't make the app's client save a download outside the folder that the user chose, regardless of file names.
 */
import * as fc from 'fast-check'
import { createServer } from 'node:http'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../../src/main/service-api/index.ts'
import { isLongSuite } from '../faults/long-suite.ts'
import { listenLocally } from '../local-server.ts'
import { imageBytes } from './sample-files.ts'

let folder: string
let out: string
let stop: () => Promise<void>
let api: ServiceApi
let name = ''
let content: Buffer
let png: Buffer

beforeAll(async () => {
  png = await imageBytes('png', { width: 2, height: 2 })
  folder = await mkdtemp(join(tmpdir(), 'mediatray-hostile-'))
  out = join(folder, 'deep', 'out')
  await mkdir(out, { recursive: true })
  const server = createServer((_request, response) => {
    const encoded = encodeURIComponent(name.toWellFormed())
    response.writeHead(200, { 'content-disposition': `attachment; filename*=UTF-8''${encoded}` }).end(content)
  })
  const { port, close } = await listenLocally(server)
  stop = close
  const address = parseBaseUrl(`http://127.0.0.1:${port}/api`)
  if (!address.ok) throw new Error(address.why)
  const timeouts = { request: 60_000, idle: 60_000 }
  api = createServiceApi({ baseUrl: address.value, key: () => 'secret', timeouts })
})
afterAll(async () => {
  await api.close()
  await stop()
  await rm(folder, { recursive: true })
})

const hostileName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(
      fc.constantFrom(
        '../../',
        '..\\..\\',
        '/etc/',
        'C:\\',
        '\\\\host\\share\\',
        '\\\\?\\',
        '~/',
        'nul',
        '.',
        '',
      ),
      fc.constantFrom('x', '\u202egpj', 'autostart', '.bashrc', 'con'),
      fc.constantFrom('.exe', '.desktop', '.lnk', '.jpg.scr', '.command', '.jpg:stream', '.jpg\0.exe', ''),
    )
    .map((parts) => parts.join('')),
)

async function download(hostile: string, bytes: Buffer): Promise<string> {
  name = hostile
  content = bytes
  const saved = await api.download('job-1', { to: { folder: out } })
  if (!saved.ok) throw new Error(saved.error.message)
  return saved.value.path
}

it('a malicious service can’t name a file outside the folder, or one with an executable extension', async () => {
  await fc.assert(
    fc.asyncProperty(hostileName, async (hostile) => {
      const path = await download(hostile, png)
      expect(dirname(path)).toBe(out)
      expect(path).toMatch(/\.png$/i)
      expect(basename(path)).not.toMatch(/[\p{Cc}\p{Bidi_Control}<>:"/\\|?*]/u)
      expect(await readFile(path)).toEqual(png)
    }),
    { numRuns: isLongSuite ? 150 : 30, seed: 20_261_122 },
  )
  expect(await readdir(folder)).toEqual(['deep'])
  expect(await readdir(join(folder, 'deep'))).toEqual(['out'])
})

it('a malicious service can’t deliver a program under an executable name', async () => {
  await fc.assert(
    fc.asyncProperty(hostileName, async (hostile) => {
      const path = await download(hostile, Buffer.from('#!/bin/sh\n'))
      expect(dirname(path)).toBe(out)
      expect(path).toMatch(/\.(bin|jpe?g|png|webp|heic|heif|avif|gif|bmp|tiff?|mp4|m4v|mov|avi|mkv|webm)$/i)
    }),
    { numRuns: isLongSuite ? 100 : 20, seed: 20_261_123 },
  )
})
