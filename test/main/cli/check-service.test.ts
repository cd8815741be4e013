import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { changed, type Proxy, startProxy } from '../../conformance/lying-proxy.ts'
import { type RunningService, startService } from '../../conformance/running-service.ts'
import { writeImage } from '../../conformance/sample-files.ts'
import { run } from './command.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let service: RunningService
let proxy: Proxy
beforeAll(async () => {
  service = await startService()
  proxy = await startProxy(service.baseUrl)
  // Other tests run checks at the same time.
  vi.stubEnv('TMPDIR', service.folder)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await proxy.close()
  await service.stop()
})

const ERROR = Buffer.from('{"error":"no"}')

const check = (args: readonly string[] = [], held: Parameters<typeof run>[1] = {}) =>
  run(['check-service', proxy.baseUrl, ...args], { env: { MEDIATRAY_API_KEY: service.key }, ...held })

const ownFolders = async () =>
  (await readdir(service.folder)).filter((name) => name.startsWith('mediatray-check-'))

it('reports what fails with its section and exits with 4, and keeps what other clients have', async () => {
  const photo = await writeImage(join(service.folder, 'in', 'photo.jpg'))
  const { jobId } = await service.accept({ filePath: photo, outputFolder: join(service.folder, 'out') })
  const theirs = await service.finished(jobId)
  proxy.tell(({ path }, truth) =>
    path === '/health' ? changed(truth, (value) => ({ ...value, version: '2.0.0' })) : undefined,
  )
  // Jobs would take most of the time, and other tests cover what the checks find out with them.
  proxy.refuse(({ method, path }) =>
    method === 'POST' && path === '/jobs' ? { status: 400, headers: {}, body: ERROR } : undefined,
  )
  const { code, stdout } = await check()
  proxy.tell(() => undefined)
  proxy.refuse(() => undefined)
  const lines = stdout.trim().split('\n')
  const failing = lines.filter((line) => line.startsWith('fails: '))
  expect(failing[0]).toMatch(
    /^fails: GET \/health responds without a key \(section 5\): returned 200 with .*1\.0\.81/,
  )
  expect(lines).toContain('passes: POST /jobs returns 400 for an unknown preset (section 2).')
  expect(lines.filter((line) => line.startsWith('not checked: '))).toEqual([
    expect.stringMatching(/DELETE \/jobs returns 401 .*other clients/),
    expect.stringMatching(/429.*--fill-queue/),
  ])
  const counts = /^(\d+) checks: (\d+) passed, (\d+) failed, 2 not checked\.$/.exec(lines.at(-1) ?? '')
  const [made = 0, passed = 0, failed = 0] = (counts ?? []).slice(1).map(Number)
  expect(failed).toBe(failing.length)
  expect(made).toBe(passed + failed + 2)
  expect(code).toBe(4)
  expect(await service.job(jobId)).toEqual(theirs)
  const deleted = proxy.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
  expect(deleted).not.toContain('/jobs')
  expect(deleted).not.toContain(`/jobs/${jobId}`)
  expect(await ownFolders()).toEqual([])
}, 300_000)

itInLongSuite(
  'waits while another client’s job is in progress, cancels nothing of it, and ends at once on Ctrl-C',
  async () => {
    const photo = await writeImage(join(service.folder, 'in', 'busy.png'))
    const theirs = await service.accept({
      filePath: photo,
      outputFolder: join(service.folder, 'busy'),
      batchCount: 50_000,
    })
    const interruption = new AbortController()
    const { code, events } = await check(['--json'], {
      interrupted: interruption.signal,
      onWrite: (text) => {
        if (text.includes('"waiting"')) interruption.abort()
      },
    })
    expect(code).toBe(130)
    expect(events.every(({ event, outcome }) => event === 'check' && outcome !== 'failed')).toBe(true)
    expect((await service.job(theirs.jobId)).status).toBe('processing')
    expect(await ownFolders()).toEqual([])
    await service.cancel(theirs.jobId)
    await service.idle()
  },
)

it('needs a key that the service accepts, and never shows it', async () => {
  const missing = await check([], { env: {} })
  expect(missing).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('MEDIATRAY_API_KEY') })
  const wrong = await check([], { env: { MEDIATRAY_API_KEY: 'another-key' } })
  expect(wrong).toMatchObject({
    code: 6,
    stdout: '',
    stderr: expect.stringContaining('The service doesn’t accept the key (section 5).\n'),
  })
  expect(wrong.stderr).not.toContain('another-key')
  const given = await run(['check-service', proxy.baseUrl, '--key-stdin'], {
    readKey: () => Promise.resolve('another-key'),
  })
  expect(given).toMatchObject({ code: 6, stderr: expect.stringContaining('doesn’t accept the key') })
  expect(given.stderr).not.toContain('another-key')
})

it('ends with a sentence if nothing responds, or the address is wrong', async () => {
  const env = { MEDIATRAY_API_KEY: 'any' }
  expect(await run(['check-service', 'http://127.0.0.1:1/api'], { env })).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/^The service refused the connection\.$/m),
  })
  expect(await run(['check-service', 'localhost'], { env })).toMatchObject({ code: 2 })
})
