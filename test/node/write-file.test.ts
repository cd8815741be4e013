import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { replaceLinkSync, writeWhole, writeWholeSync } from '../../src/node/write-file.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

const writers = { writeWhole, writeWholeSync }

describe.each(['writeWhole', 'writeWholeSync'] as const)('%s', (name) => {
  const write = writers[name]

  it('creates the folder, replaces the old file, and leaves no other file behind', async () => {
    const folder = join(temporaryFolder(), 'made', 'for it')
    await write(join(folder, 'a.json'), 'first')
    await write(join(folder, 'a.json'), 'second')
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('second')
    expect(await readdir(folder)).toEqual(['a.json'])
  })

  it.runIf(process.platform !== 'win32')('makes the file private', async () => {
    const folder = join(temporaryFolder(), 'own')
    await write(join(folder, 'a.json'), 'mine')
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  // With a file size limit, the system writes only the bytes that fit, as on a disk that fills up. Setting the limit needs no
  // privileges.
  itInLongSuite.runIf(process.platform !== 'win32')(
    'keeps the old file intact if the new one only fits partly',
    async () => {
      const folder = temporaryFolder()
      const file = join(folder, 'a.json')
      await write(file, 'as it was')
      expect(await writeUnderLimit(name, file)).toBe('EFBIG')
      expect(await readFile(file, 'utf8')).toBe('as it was')
      expect(await readdir(folder)).toEqual(['a.json'])
    },
  )
})

it('a link that can’t be replaced leaves no other link behind', async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'taken'))
  expect(() => replaceLinkSync(join(folder, 'taken'), '/opt/app')).toThrow()
  expect(await readdir(folder)).toEqual(['taken'])
})

/**
 * Writes 64 KiB with a file size limit of 4 KiB.
 * @returns the error code
 */
async function writeUnderLimit(writer: keyof typeof writers, file: string): Promise<string> {
  const script = `
    const { ${writer} } = await import(${JSON.stringify(new URL('../../src/node/write-file.ts', import.meta.url).href)})
    try { await ${writer}(${JSON.stringify(file)}, 'x'.repeat(65536)); console.log('written') }
    catch (error) { console.log(error.code) }`
  const { stdout } = await promisify(execFile)('sh', [
    '-c',
    'ulimit -f 8; exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    script,
  ])
  return stdout.trim()
}
