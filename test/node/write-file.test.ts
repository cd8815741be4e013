import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { writeWhole, writeWholeSync } from '../../src/node/write-file.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'mediatray-write-'))
const writers = { writeWhole, writeWholeSync }

describe.each(['writeWhole', 'writeWholeSync'] as const)('%s', (name) => {
  const write = writers[name]

  it('makes the folder, replaces what was there, and leaves nothing beside it', async () => {
    const folder = join(await newFolder(), 'made', 'for it')
    await write(join(folder, 'a.json'), 'first')
    await write(join(folder, 'a.json'), 'second')
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('second')
    expect(await readdir(folder)).toEqual(['a.json'])
  })

  it.runIf(process.platform !== 'win32')('lets nobody else read it', async () => {
    const folder = join(await newFolder(), 'own')
    await write(join(folder, 'a.json'), 'mine')
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  // A limit on the size of files makes the system write what fits, as on a disk that fills up, and needs no rights.
  it.runIf(process.platform !== 'win32')(
    'keeps the old file whole when only a part of the new one fits',
    async () => {
      const folder = await newFolder()
      const file = join(folder, 'a.json')
      await write(file, 'as it was')
      expect(await writeUnderLimit(name, file)).toBe('EFBIG')
      expect(await readFile(file, 'utf8')).toBe('as it was')
      expect(await readdir(folder)).toEqual(['a.json'])
    },
  )
})

/** Writes 64 KiB where no file may grow beyond 4 KiB. @returns the code of the error */
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
