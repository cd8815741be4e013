import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDiskWatch } from '../../../src/main/disk/disk.ts'

const MB = 1024 * 1024

function watchOf(change: Partial<Parameters<typeof createDiskWatch>[0]>) {
  const said: string[] = []
  let next: (() => void) | undefined
  const disk = createDiskWatch({
    folders: () => ['/out'],
    onChange: (full) => said.push(full === null ? 'free' : `full ${full}`),
    after(_ms, run) {
      next = run
      return () => (next = undefined)
    },
    log: () => {},
    threshold: 4 * MB,
    ...change,
  })
  onTestFinished(() => disk.close())
  return { disk, said, isWaiting: () => next !== undefined }
}

describe('a disk', () => {
  it('that fills up is reported once, and counts as free again only with clearly more space', async () => {
    let free = 10 * MB
    const { disk, said } = watchOf({ statfs: () => Promise.resolve({ bavail: free, bsize: 1 }) })
    for (const next of [10 * MB, 3 * MB, 2 * MB, 5 * MB, 7 * MB, 5 * MB]) {
      free = next
      await disk.refresh()
    }
    expect(said).toEqual(['full /out', 'free'])
  })

  it('is checked at the nearest existing folder', async () => {
    const asked: string[] = []
    const { disk, said } = watchOf({
      folders: () => ['/disk/not/yet/there'],
      statfs(folder) {
        asked.push(folder)
        return folder === '/disk'
          ? Promise.resolve({ bavail: 1, bsize: 1 })
          : Promise.reject(Object.assign(new Error('not there'), { code: 'ENOENT' }))
      },
    })
    await disk.refresh()
    expect(asked).toEqual(['/disk/not/yet/there', '/disk/not/yet', '/disk/not', '/disk'])
    expect(said).toEqual(['full /disk/not/yet/there'])
  })

  it('that does not respond is not reported as full', async () => {
    const { disk, said } = watchOf({
      statfs: () => Promise.reject(Object.assign(new Error('away'), { code: 'EIO' })),
    })
    await disk.refresh()
    expect(said).toEqual([])
  })

  it('is not checked while no folder is in use, and then no longer counts as full', async () => {
    let folders: string[] = ['/out']
    const { disk, said, isWaiting } = watchOf({
      folders: () => folders,
      statfs: () => Promise.resolve({ bavail: 0, bsize: 1 }),
    })
    await disk.refresh()
    expect(isWaiting()).toBe(true)
    folders = []
    await disk.refresh()
    expect(said).toEqual(['full /out', 'free'])
    expect(isWaiting()).toBe(false)
  })

  it('is the only one reported if it is the first of several full disks', async () => {
    const { disk, said } = watchOf({
      folders: () => ['/a', '/b', '/c'],
      statfs: (folder) => Promise.resolve({ bavail: folder === '/a' ? 9 * MB : 0, bsize: 1 }),
    })
    await disk.refresh()
    expect(said).toEqual(['full /b'])
  })
})

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a real small disk fills up, and is free again',
  async () => {
    const mount = mkdtempSync(join(tmpdir(), 'mediatray-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', mount])
    onTestFinished(() => {
      execFileSync('umount', [mount])
      rmdirSync(mount)
    })
    const folder = join(mount, 'results', 'web')
    const { disk, said } = watchOf({ folders: () => [folder] })
    await disk.refresh()
    expect(said).toEqual([])
    writeFileSync(join(mount, 'big'), Buffer.alloc(13 * MB))
    await disk.refresh()
    expect(said).toEqual([`full ${folder}`])
    rmSync(join(mount, 'big'))
    await disk.refresh()
    expect(said).toEqual([`full ${folder}`, 'free'])
  },
)
