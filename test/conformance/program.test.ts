import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { WORKER } from '../entries.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { API_KEY, listeningAt, spawnService, startService } from './running-service.ts'
import { rawRequest } from './raw-request.ts'
import { imageBytes, writeImage } from './sample-files.ts'
import { firstOf, itInLongSuite } from '../faults/long-suite.ts'

async function ending(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  if (child.stdout === null || child.stderr === null) throw new Error('The output is missing')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** Returns the permissions of group and others on a folder and everything in it. */
const rights = async (folder: string) => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Promise.all([folder, ...paths].map(async (path) => (await stat(path)).mode & 0o077))
}

/** A forked process has its parent's environment until it executes its own program; an ended one has none. */
const isWorker = async (child: string) =>
  (await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')).includes(WORKER)

/** Expects the service to accept the key and to respond, and ends it. */
async function expectServing(child: ChildProcess): Promise<void> {
  const baseUrl = await listeningAt(child)
  const answer = await fetch(`${baseUrl}/jobs`, { headers: { authorization: `Bearer ${API_KEY}` } })
  expect(answer.status).toBe(200)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
}

describe('the service as a program', () => {
  it('exits with 2 and an explanation if there is no key', async () => {
    const child = spawnService(['--port', '0', '--data-dir', temporaryFolder()], {})
    const { code, stdout, stderr } = await ending(child)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('MEDIATRAY_API_KEY')
  })

  it('reads the key from the first line of stdin, so that no process has it in its environment', async () => {
    const dataDir = temporaryFolder()
    const child = spawnService(['--port', '0', '--data-dir', dataDir, '--key-stdin'], {})
    child.stdin?.write(`${API_KEY}\n`)
    await expectServing(child)
  })

  it.each(firstOf(['', '\n', 'not ascii: ä\n', 'two words\n']))(
    'exits with 2 if stdin contains no key: %j',
    async (text) => {
      const child = spawnService(['--port', '0', '--data-dir', temporaryFolder(), '--key-stdin'], {})
      child.stdin?.end(text)
      const { code, stderr } = await ending(child)
      expect(code).toBe(2)
      expect(stderr).toContain('The first line of stdin')
    },
  )

  it('locks other users out of its data folder, regardless of who created it', async () => {
    await using service = await startService([], async (dataDir) => {
      await mkdir(join(dataDir, 'presets'), { recursive: true })
      for (const folder of [dataDir, join(dataDir, 'presets')]) await chmod(folder, 0o755)
    })
    const { filePath } = await service.uploaded('a.jpg', await imageBytes('jpeg'))
    const { jobId } = await service.accept({ filePath, outputFolder: join(service.folder, 'out') })
    await service.finished(jobId)
    const found = await rights(join(service.folder, 'data'))
    expect(found.length).toBeGreaterThan(10)
    expect(new Set(found)).toEqual(new Set([0]))
  })

  itInLongSuite('keeps the permissions of a data folder that also contains unrelated files', async () => {
    const home = temporaryFolder()
    await writeFile(join(home, 'letter.txt'), 'x')
    await chmod(home, 0o755)
    const child = spawnService(['--port', '0', '--data-dir', home])
    await listeningAt(child)
    expect((await stat(home)).mode & 0o777).toBe(0o755)
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  })

  itInLongSuite.skipIf(process.platform !== 'linux')('doesn’t pass the key to its workers', async () => {
    await using service = await startService()
    const photo = await writeImage(join(service.folder, 'photo.jpg'))
    await service.accept({ filePath: photo, outputFolder: join(service.folder, 'out'), batchCount: 1_000 })
    const { pid } = service.child
    const workers = async () => {
      const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
        .split(' ')
        .filter(Boolean)
      const isOne = await Promise.all(children.map(isWorker))
      return children.filter((_, index) => isOne[index])
    }
    while ((await workers()).length === 0) await sleep(5)
    for (const worker of await workers()) {
      const environment = () => readFile(`/proc/${worker}/environ`, 'utf8')
      // Briefly empty while one program replaces another in the process.
      await expect.poll(environment).toContain('PATH=')
      expect(await environment()).not.toContain(API_KEY)
    }
  })

  it.each(
    firstOf([
      [['--port', '0']],
      [['--port', 'x', '--data-dir', '/tmp']],
      [['--port', '70000', '--data-dir', '/tmp']],
      [['--data-dir', '/tmp', '--nonsense']],
    ]),
  )('exits with 2 and the usage if the arguments are wrong: %j', async (args) => {
    const { code, stderr } = await ending(spawnService(args))
    expect(code).toBe(2)
    expect(stderr).toContain('Usage:')
  })

  it('exits with 3 and an explanation if the port is in use', async () => {
    const occupant = createServer().listen(0, '127.0.0.1')
    await once(occupant, 'listening')
    const address = occupant.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const { code, stdout, stderr } = await ending(
      spawnService(['--port', port, '--data-dir', temporaryFolder()]),
    )
    occupant.close()
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('in use')
  })

  it('listens on the loopback interface and nowhere else', async () => {
    await using service = await startService()
    const own = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address?.family === 'IPv4' && !address.internal)
    for (const address of own) {
      const url = `http://${address?.address}:${service.port}/api/health`
      await expect(fetch(url, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow()
    }
    expect(service.baseUrl).toBe(`http://127.0.0.1:${service.port}/api`)
  })

  it('writes one line to stdout, and never logs the key', async () => {
    await using service = await startService()
    const photo = await writeImage(join(service.folder, 'photo.jpg'))
    const { jobId } = await service.accept({ filePath: photo, outputFolder: join(service.folder, 'out') })
    await service.finished(jobId)
    await rawRequest(service.port, `GET /api/jobs HTTP/1.1\r\nAuthorization: Bearer ${API_KEY}\r\n\r\n`)
    expect(await service.stop()).toBe(0)
    expect(service.stdout()).toBe(`${JSON.stringify({ event: 'listening', baseUrl: service.baseUrl })}\n`)
    expect(service.stderr()).not.toContain(API_KEY)
  })

  it.each(firstOf(['SIGTERM', 'SIGINT'] as const))(
    'stops the running file on %s and leaves no partial output',
    async (signal) => {
      await using service = await startService()
      const folder = join(service.folder, 'out')
      // Large enough that the signal arrives during processing.
      const photo = await writeImage(join(service.folder, 'large.png'), { width: 2_000, height: 1_333 })
      await service.accept({ filePath: photo, outputFolder: folder, batchCount: 1_000 })
      while ((await readdir(folder)).length === 0) await sleep(10)
      const { child } = service
      const exited = once(child, 'exit')
      child.kill(signal)
      expect(await exited).toEqual([0, null])
      const names = await readdir(folder)
      expect(names.filter((name) => name.startsWith('.'))).toEqual([])
    },
  )

  itInLongSuite(
    'removes, at the next launch, only the files that a killed service left in a user’s folder',
    async () => {
      await using killed = await startService()
      const folder = join(killed.folder, 'out')
      const photo = await writeImage(join(killed.folder, 'large.png'), { width: 2_000, height: 1_333 })
      await killed.accept({ filePath: photo, outputFolder: folder, batchCount: 1_000 })
      const hidden = async () => (await readdir(folder)).filter((name) => name.startsWith('.'))
      while ((await hidden()).length === 0) await sleep(1)
      const exited = once(killed.child, 'exit')
      killed.child.kill('SIGKILL')
      await exited
      await writeFile(join(folder, '.mediatray-of-a-person'), 'x')
      await using next = await startService([], (dataDir) => rename(join(killed.folder, 'data'), dataDir))
      await expect.poll(hidden).toEqual(['.mediatray-of-a-person'])
      expect(next.child.exitCode).toBeNull()
    },
  )

  itInLongSuite('keeps running when its stdin closes', async () => {
    await using service = await startService()
    service.child.stdin?.end()
    await sleep(100)
    expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  })
})
