/** Accesses a folder in a drive. The test scripts rclone's responses. */
import { reason } from '../../../src/shared/failure/failure.ts'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import { DriveFailure } from '../../../src/service/drive/index.ts'
import { rcloneFolder } from '../../../src/service/drive/rclone-folder.ts'
import type { RcloneCall } from '../../../src/service/drive/run-rclone.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const { signal } = new AbortController()
const COPIED = { level: 'info', msg: 'Copied (new)', share: undefined }
const NOT_FOUND = new DriveFailure(troubleOf('notFound'))

let into: string
let calls: RcloneCall[]
let answer: (call: RcloneCall) => string | Error | Promise<string>
beforeEach(() => {
  into = temporaryFolder()
  calls = []
  answer = () => '[]'
})

const folder = rcloneFolder(
  'album',
  { options: ['--drive-x'], folder: 'dav:album', prefix: 'dav:album/' },
  async (call) => {
    calls.push(call)
    const given = await answer(call)
    if (given instanceof Error) throw given
    return given
  },
)
const listing = (...entries: readonly (readonly [string, number, boolean])[]) =>
  JSON.stringify(entries.map(([Name, Size, IsDir]) => ({ Name, Size, IsDir })))

describe('listing', () => {
  it('returns the content, including folders', async () => {
    answer = () => listing(['a.png', 7, false], ['sub', -1, true])
    expect(await folder.list(signal)).toEqual([
      { name: 'a.png', size: 7, isFolder: false },
      { name: 'sub', size: -1, isFolder: true },
    ])
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({
      operands: ['dav:album'],
      command: expect.arrayContaining(['lsjson', '--drive-x']),
    })
  })

  it('checks again if the only entry has the folder’s name, because the folder may be a file', async () => {
    answer = ({ command }) =>
      command.includes('--stat') ? '{"Size":1,"IsDir":true}' : listing(['album', 1, false])
    expect(await folder.list(signal)).toHaveLength(1)
    answer = ({ command }) =>
      command.includes('--stat') ? '{"Size":1,"IsDir":false}' : listing(['album', 1, false])
    await expect(folder.list(signal)).rejects.toMatchObject({
      kind: 'notFound',
      reason: reason('driveFolderIsFile', { id: 'album' }),
    })
    expect(calls).toHaveLength(4)
  })

  it('names a missing folder, and passes other failures through', async () => {
    answer = () => NOT_FOUND
    await expect(folder.list(signal)).rejects.toMatchObject({
      kind: 'notFound',
      reason: reason('driveFolderMissing', { id: 'album' }),
    })
    const unreachable = new DriveFailure(troubleOf('network'))
    answer = () => unreachable
    await expect(folder.list(signal)).rejects.toBe(unreachable)
  })
})

/** An rclone call that delivers a file under this name. */
const arriving = (name: string) => async (call: RcloneCall) => {
  await writeFile(join(into, name), 'x')
  call.onLog?.({ ...COPIED, msg: 'half', share: 0.5 })
  call.onLog?.(COPIED)
  return ''
}

describe('fetching', () => {
  it('downloads the file and reports progress', async () => {
    answer = arriving('input.png')
    const shares: number[] = []
    const path = await folder.fetch('a/b.png', into, { signal, onProgress: (share) => shares.push(share) })
    expect(path).toBe(join(into, 'input.png'))
    expect(shares).toEqual([0.5])
    expect(calls[0]?.operands).toEqual(['dav:album/a/b.png', join(into, 'input.png')])
    expect(calls[0]?.command).toEqual(expect.arrayContaining(['copyto', '--ignore-existing', '--drive-x']))
  })

  it.each([
    ['.', 'input'],
    ['..', 'input'],
    ['..\\..\\x.jpg', 'input.jpg'],
    ['../../x.jpg', 'input.jpg'],
    ['C:\\Windows\\x.PNG', 'input.png'],
    ['\\\\host\\share\\x.mp4', 'input.mp4'],
    ['nul.jpg', 'input.jpg'],
    ['x.jpg:stream', 'input'],
    ['x.exe', 'input'],
  ])('stores %j under a safe name: %j', async (name, here) => {
    answer = arriving(here)
    expect(await folder.fetch(name, into, { signal })).toBe(join(into, here))
    expect(calls[0]?.operands[1]).toBe(join(into, here))
  })

  it('reports a missing file if rclone reports one, copies nothing, or leaves no file', async () => {
    const gone = { kind: 'notFound', reason: reason('driveFileGone') }
    answer = () => NOT_FOUND
    await expect(folder.fetch('a.png', into, { signal })).rejects.toMatchObject(gone)
    answer = (call) => {
      call.onLog?.(COPIED)
      return ''
    }
    await expect(folder.fetch('a.png', into, { signal })).rejects.toMatchObject(gone)
    answer = () => ''
    await mkdir(join(into, 'left'))
    await expect(folder.fetch('a.png', into, { signal })).rejects.toMatchObject(gone)
    const quota = new DriveFailure(troubleOf('quota'))
    answer = () => quota
    await expect(folder.fetch('a.png', into, { signal })).rejects.toBe(quota)
  })
})

describe('fetching many files', () => {
  it('passes the names in a file, and reports each file as it arrives', async () => {
    let listed = ''
    answer = async (call) => {
      listed = await readFile(call.command[call.command.indexOf('--files-from-raw') + 1] ?? '', 'utf8')
      call.onLog?.({ ...COPIED, object: 'a.png' })
      call.onLog?.({ ...COPIED, object: 'somebody else’s.png' })
      call.onLog?.({
        level: 'error',
        msg: 'Failed to copy: permission denied',
        object: 'b.png',
        share: undefined,
      })
      call.onLog?.({ ...COPIED, object: '#c.png' })
      return ''
    }
    const arrived: string[] = []
    const onArrived = (name: string, path: string) => void arrived.push(`${name} at ${path}`)
    await folder.fetchTogether(['a.png', 'b.png', '#c.png'], into, { signal, onArrived })
    expect(listed).toBe('a.png\nb.png\n#c.png\n')
    expect(arrived).toEqual([`a.png at ${join(into, 'a.png')}`, `#c.png at ${join(into, '#c.png')}`])
    expect(calls).toHaveLength(1)
    expect(calls[0]?.operands).toEqual(['dav:album', into])
    expect(await readdir(dirname(into))).not.toContain(`${basename(into)}.names`)
  })

  it('stops at the first error of the drive itself, which would affect all other files too', async () => {
    answer = (call) => {
      call.onLog?.({ level: 'error', msg: 'dial tcp: connection refused', share: undefined })
      return call.signal.aborted ? new Error('stopped') : ''
    }
    const asked = folder.fetchTogether(['a.png', 'b.png'], into, { signal, onArrived: () => {} })
    await expect(asked).rejects.toThrow('stopped')
  })
})

describe('uploading', () => {
  it('recognizes a taken name because rclone copies nothing', async () => {
    answer = (call) => {
      call.onLog?.({ ...COPIED, msg: 'b.png: Copied (new)' })
      return ''
    }
    expect(await folder.upload('/out/a.png', 'b.png', { signal })).toBe('uploaded')
    expect(calls[0]?.operands).toEqual(['/out/a.png', 'dav:album/b.png'])
    answer = (call) => {
      call.onLog?.({ ...COPIED, msg: 'Copied nothing, as it exists' })
      return ''
    }
    expect(await folder.upload('/out/a.png', 'b.png', { signal })).toBe('nameTaken')
    answer = () => NOT_FOUND
    await expect(folder.upload('/out/a.png', 'b.png', { signal })).rejects.toBe(NOT_FOUND)
  })
})

it.each([
  ['the same content', true, 1, '1'],
  ['another size', false, 2, '1'],
  ['another content of the same size', false, 1, '2'],
])('a file with %s as a local one is recognized: %s', async (_, isSame, size, content) => {
  const path = join(into, 'local.png')
  await writeFile(path, '1')
  const hash = createHash('sha256').update(content).digest('hex')
  answer = ({ command }) =>
    command[0] === 'hashsum'
      ? `${hash}  b.png\n`
      : JSON.stringify({ Name: 'b.png', Size: size, IsDir: false })
  expect(await folder.hasContent('b.png', path, signal)).toBe(isSame)
  expect(calls[0]?.operands).toEqual(['dav:album/b.png'])
})

it('a file that rclone can’t compare isn’t the same, unless the drive can’t be reached', async () => {
  const path = join(into, 'local.png')
  await writeFile(path, '1')
  answer = () => NOT_FOUND
  expect(await folder.hasContent('b.png', path, signal)).toBe(false)
  const unreachable = new DriveFailure(troubleOf('network'))
  answer = () => unreachable
  await expect(folder.hasContent('b.png', path, signal)).rejects.toBe(unreachable)
})

describe('an rclone that someone else ended', () => {
  const ENDED = new DriveFailure(troubleOf('ended'))
  /** Ends rclone the first time. */
  const endedOnce = (then: (call: RcloneCall) => string | Promise<string>) => {
    answer = (call) => (calls.length === 1 ? ENDED : then(call))
  }

  it('runs again to list, and to fetch a file, whose part it replaces', async () => {
    endedOnce(() => listing(['a.png', 7, false]))
    expect(await folder.list(signal)).toHaveLength(1)
    calls = []
    const target = join(into, 'input.png')
    await writeFile(target, 'a part')
    endedOnce(async (call) => {
      await writeFile(target, 'whole', { flag: 'wx' })
      call.onLog?.(COPIED)
      return ''
    })
    expect(await folder.fetch('a.png', into, { signal })).toBe(target)
    expect(await readFile(target, 'utf8')).toBe('whole')
  })

  it('runs again only once', async () => {
    answer = () => ENDED
    await expect(folder.list(signal)).rejects.toBe(ENDED)
    expect(calls).toHaveLength(2)
  })
})
