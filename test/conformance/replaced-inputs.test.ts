/** Another user replaces inputs of a waiting job with ways to this user's private photo. As root, the two are different users. */
import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { chmod, link, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { asOrdinaryUser, ORDINARY } from '../as-ordinary-user.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { evenTimes, makeClip } from '../media/video/make-clip.ts'
import { API_KEY, type RunningService, startService } from './running-service.ts'
import { writeImage } from './sample-files.ts'
import { itInLongSuite } from '../faults/long-suite.ts'

const isWindows = process.platform === 'win32'
const isRoot = process.getuid?.() === 0
const SECRET = { r: 10, g: 20, b: 250 }
const SIZE = { width: 32, height: 24 }

let service: RunningService
let shared: string
let secret: string
let out: string
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  const folder = temporaryFolder()
  await chmod(folder, 0o755)
  out = join(folder, 'out')
  shared = join(folder, 'shared')
  await mkdir(shared)
  await chmod(shared, 0o1777)
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  secret = join(home, 'a.png')
  await sharp({ create: { ...SIZE, channels: 3, background: SECRET } })
    .png()
    .toFile(secret)
  await chmod(secret, 0o600)
})

/** Creates a photo of the other user in the shared folder. */
async function photo(name: string, mode = 0o644): Promise<string> {
  const path = await writeImage(join(shared, name))
  await chmod(path, mode)
  if (isRoot) chownSync(path, ORDINARY, ORDINARY)
  return path
}

/** Submits a job, and replaces its inputs while another job keeps it waiting. */
async function replacedWhileWaiting(files: readonly string[], replace: () => Promise<void>, more = {}) {
  const busy = await service.accept({
    filePath: await photo('busy.png'),
    outputFolder: out,
    batchCount: 50_000,
  })
  const { jobId } = await service.accept({ files, outputFolder: out, ...more })
  await replace()
  expect((await service.job(jobId)).status).toBe('queued')
  await service.cancel(busy.jobId)
  const { results = [], errors = [], result, error, failure } = await service.finished(jobId)
  return {
    results: result ? [result.outputPath] : results.map(({ outputPath }) => outputPath),
    codes: failure ? [failure.code] : errors.map((one) => one.failure?.code),
    error: error ?? errors[0]?.error,
  }
}

async function isSecret(path: string): Promise<boolean> {
  const { channels } = await sharp(path).stats()
  return (channels[2]?.mean ?? 0) > 200
}
async function secretsIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.png'))
  const are = await Promise.all(files.map((name) => isSecret(join(folder, name))))
  return files.filter((_, n) => are[n])
}

describe.skipIf(isWindows)('a waiting photo that another user replaces', () => {
  it('with a link to a private photo is refused, and nothing is read from it', async () => {
    const path = await photo('a.png')
    const { codes, error, results } = await replacedWhileWaiting([path], () =>
      asOrdinaryUser(async () => {
        await rm(path)
        await symlink(secret, path)
      }),
    )
    expect({ codes, results }).toEqual({ codes: ['fileReplaced'], results: [] })
    expect(error).toBe('a.png was replaced after you added it. Nothing was read from it. Add it again.')
    expect(await secretsIn(out)).toEqual([])
  })

  itInLongSuite('with a second name of a private photo is refused', async () => {
    const path = await photo('a.png')
    // Some systems let every user create a link to a file that only its owner can read.
    const { codes } = await replacedWhileWaiting([path], async () => {
      await rm(path)
      await link(secret, path)
    })
    expect(codes).toEqual(['fileReplaced'])
    expect(await secretsIn(out)).toEqual([])
  })

  itInLongSuite(
    'by linking its folder to a private folder is refused, even if the private photo itself is open to all',
    async () => {
      await mkdir(join(shared, 'trip'))
      const path = await photo('trip/a.png')
      if (isRoot) chownSync(join(shared, 'trip'), ORDINARY, ORDINARY)
      await chmod(secret, 0o644)
      const { codes } = await replacedWhileWaiting([path], () =>
        asOrdinaryUser(async () => {
          await rename(join(shared, 'trip'), join(shared, 'away'))
          await symlink(join(secret, '..'), join(shared, 'trip'))
        }),
      )
      expect(codes).toEqual(['fileReplaced'])
      expect(await secretsIn(out)).toEqual([])
    },
  )

  itInLongSuite('with a pipe or a folder is refused without waiting for it', async () => {
    const [pipe, folder] = [await photo('pipe.png'), await photo('folder.png')]
    const { codes } = await replacedWhileWaiting([pipe, folder], async () => {
      await Promise.all([rm(pipe), rm(folder)])
      execFileSync('mkfifo', [pipe])
      await mkdir(folder)
    })
    expect(codes).toEqual(['fileReplaced', 'fileReplaced'])
  })

  itInLongSuite('is refused like a photo if it is a video', async () => {
    const path = join(shared, 'a.mp4')
    await makeClip(path, { ...SIZE, times: evenTimes(12, 25) })
    const hidden = join(secret, '../a.mp4')
    await rename(path, hidden)
    await makeClip(path, { ...SIZE, times: evenTimes(12, 25) })
    const { codes } = await replacedWhileWaiting([path], async () => {
      await rm(path)
      await symlink(hidden, path)
    })
    expect(codes).toEqual(['fileReplaced'])
  })
})

describe('a waiting photo of the user', () => {
  it('is processed if an editor saves it again as a new file', async () => {
    const path = await photo('a.png')
    const { codes, results } = await replacedWhileWaiting([path], async () => {
      const saved = await photo('.a.png.tmp')
      await writeImage(join(shared, 'b.png'), { width: 64, height: 48 })
      await writeFile(saved, await sharp(join(shared, 'b.png')).toBuffer())
      await rename(saved, path)
    })
    expect(codes).toEqual([])
    expect(await sharp(results[0]).metadata()).toMatchObject({ width: 64, height: 48 })
  })

  itInLongSuite.skipIf(isWindows)(
    'that was added through a link is the one that the link led to then',
    async () => {
      const path = await photo('a.png')
      const [kept, turned] = [join(shared, 'kept.png'), join(shared, 'turned.png')]
      await symlink(path, kept)
      await symlink(path, turned)
      const { codes, results } = await replacedWhileWaiting([kept, turned], async () => {
        await rm(turned)
        await symlink(secret, turned)
      })
      expect({ codes, results: results.length }).toEqual({ codes: [], results: 2 })
      expect(await secretsIn(out)).toEqual([])
    },
  )

  it.skipIf(isWindows)('is compared with what the client accepted before it sent the job', async () => {
    const path = await photo('a.png')
    const { dev, ino, uid, gid, mode } = await stat(path, { bigint: true })
    const identity = [dev, ino, uid, gid, mode & 0o777n].join(':')
    await rm(path)
    await symlink(secret, path)
    const refused = await service.submit({ filePath: path, outputFolder: out, identities: [identity] })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ skipped: [{ failure: { code: 'fileReplaced' } }] })
  })
})

describe.skipIf(isWindows)('the permissions of a result', () => {
  const MODES = 0o777
  const modeOf = async (name: string, mode: number, more = {}) => {
    const path = await photo(name, mode)
    if (isRoot) chownSync(path, 0, 0)
    const { jobId } = await service.accept({ filePath: path, outputFolder: out, ...more })
    const { result } = await service.finished(jobId)
    return (await stat(result?.outputPath ?? '')).mode & MODES
  }

  it('are at most those of its original, and those that the umask leaves', async () => {
    const umask = process.umask(0o022)
    process.umask(umask)
    expect(await modeOf('private.png', 0o600)).toBe(0o600)
    expect(await modeOf('group.png', 0o640)).toBe(0o640 & ~umask)
    expect(await modeOf('all.png', 0o644)).toBe(0o644 & ~umask)
    // The user can always change the own result.
    expect(await modeOf('locked.png', 0o444)).toBe(0o644 & ~umask)
  })

  it('are those of the upload for an upload, which only this user can read', async () => {
    const bytes = await sharp(secret).toBuffer()
    const { filePath } = await service.uploaded('a.png', bytes)
    const { jobId } = await service.accept({ filePath, outputFolder: out })
    const { result } = await service.finished(jobId)
    expect((await stat(result?.outputPath ?? '')).mode & MODES).toBe(0o600)
  })

  itInLongSuite.runIf(isRoot)('don’t open a file of one group to another group', async () => {
    const path = await photo('other-group.png', 0o640)
    chownSync(path, 0, ORDINARY)
    const { jobId } = await service.accept({ filePath: path, outputFolder: out })
    const { result } = await service.finished(jobId)
    expect((await stat(result?.outputPath ?? '')).mode & MODES).toBe(0o600)
  })
})

it('the log never names what a link leads to', () => {
  expect(service.stderr()).not.toContain('/home/a.png')
  expect(service.stderr()).not.toContain(API_KEY)
})
