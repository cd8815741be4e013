import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, expect, it } from 'vitest'
import { markOrigin } from '../../../src/main/service-api/receive-file.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder, 'photo.jpg')
  await writeFile(path, 'x')
})

const FROM = 'http://127.0.0.1:3847'

function system(platform: NodeJS.Platform) {
  const ran: (readonly string[])[] = []
  const run = (program: string, args: readonly string[]) => {
    ran.push([program, ...args])
    return {
      stdout: new PassThrough().end(),
      ended: Promise.resolve({ code: 1, signal: null, stderrTail: 'no such attribute here' }),
    }
  }
  return { ran, on: { platform, clock: () => 0x65_00_00_00 * 1000, run } }
}

it('on Windows, the Mark of the Web is an alternate data stream of the file', async () => {
  const { ran, on } = system('win32')
  await markOrigin(path, FROM, on)
  expect(await readFile(`${path}:Zone.Identifier`, 'utf8')).toBe(
    `[ZoneTransfer]\r\nZoneId=3\r\nHostUrl=${FROM}\r\n`,
  )
  expect(ran).toEqual([])
})

it('on macOS, the quarantine attribute is set without a shell, and a disk that doesn’t support attributes is not an error', async () => {
  const { ran, on } = system('darwin')
  await markOrigin(path, FROM, on)
  expect(ran).toEqual([['/usr/bin/xattr', '-w', 'com.apple.quarantine', '0081;65000000;Mediatray;', path]])
})

it('on Linux, files aren’t marked; elsewhere, a file that can’t be marked is not an error', async () => {
  const { ran, on } = system('linux')
  await markOrigin(path, FROM, on)
  await markOrigin(join(folder, 'missing', 'a.jpg'), FROM, system('win32').on)
  expect(ran).toEqual([])
  expect(await readdir(folder)).toEqual(['photo.jpg'])
})
