import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  localName,
  placeResult,
  preparePartialFolder,
  removePartialFolder,
} from '../../../src/main/downloads/place-result.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-place-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const names = async (path = folder) => (await readdir(path)).toSorted()

/** A whole file that waits for its place. */
async function partial(content = 'result'): Promise<string> {
  const path = join(folder, 'partial')
  await writeFile(path, content)
  return path
}

describe('the name of a result', () => {
  it('is the one that the service gave it, on whichever system it ran', () => {
    expect(localName('/srv/out/a.jpg', 'job-1')).toBe('a.jpg')
    expect(localName('C:\\out\\b.jpg', 'job-1')).toBe('b.jpg')
  })

  it('is the job’s where the service gave none, and never empty', () => {
    expect(localName('', 'job-1')).toBe('job-1')
    expect(localName('/srv/..', 'job-1')).toBe('job-1')
    expect(localName('', '..')).toBe('result')
  })
})

describe('the folder where results wait', () => {
  it('is made with the folders above it, and loses only the halves of a killed process', async () => {
    const partial = join(folder, 'out', '.mediatray-r')
    await preparePartialFolder(partial)
    await writeFile(join(partial, '0'), 'whole')
    await writeFile(join(partial, '1.part'), 'half')
    await preparePartialFolder(partial)
    expect(await names(partial)).toEqual(['0'])
  })

  it('goes with what is in it, and may be gone already', async () => {
    const partial = join(folder, '.mediatray-r')
    await mkdir(join(partial, 'deep'), { recursive: true })
    await removePartialFolder(partial)
    await removePartialFolder(partial)
    expect(await names()).toEqual([])
  })
})

describe('the place of a result', () => {
  it('is the first free name, which is told before it is taken', async () => {
    await writeFile(join(folder, 'a.jpg'), 'mine')
    await writeFile(join(folder, 'a (2).jpg'), 'mine too')
    const told: [string, boolean][] = []
    const path = await placeResult(await partial(), folder, 'a.jpg', null, (at) => {
      told.push([at, existsSync(at)])
    })
    expect(path).toBe(join(folder, 'a (3).jpg'))
    expect(told).toEqual([[path, false]])
    expect(await readFile(path, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a (2).jpg', 'a (3).jpg', 'a.jpg'])
  })

  it('that a killed run reserved and could not fill is filled', async () => {
    const reserved = join(folder, 'a (2).jpg')
    await writeFile(reserved, '')
    expect(await placeResult(await partial(), folder, 'a.jpg', reserved, expect.unreachable)).toBe(reserved)
    expect(await readFile(reserved, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a (2).jpg'])
  })

  it('that somebody else has taken since is left to them', async () => {
    const taken = join(folder, 'a.jpg')
    await writeFile(taken, 'mine')
    const path = await placeResult(await partial(), folder, 'a.jpg', taken, () => undefined)
    expect(path).toBe(join(folder, 'a (2).jpg'))
    expect(await readFile(taken, 'utf8')).toBe('mine')
  })

  it('that a killed run never came to take is taken now', async () => {
    const free = join(folder, 'a.jpg')
    expect(await placeResult(await partial(), folder, 'a.jpg', free, () => undefined)).toBe(free)
    expect(await readFile(free, 'utf8')).toBe('result')
    expect(await names()).toEqual(['a.jpg'])
  })
})
