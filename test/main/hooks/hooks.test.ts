import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { createHmac } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type KeyStore } from '../../../src/main/connection/index.ts'
import { createSigningKey, type HookTarget } from '../../../src/main/hooks/index.ts'
import type { HookState } from '../../../src/shared/model/hook-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { exampleReport, JobReport } from '../../../src/shared/model/job-report.ts'
import { isRunning } from '../../child-processes.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openHooked, programIn, STARTED, type Hooked } from './hooked.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

const listen = async (listener: RequestListener): Promise<string> =>
  `${await listenUntilEnd(createServer(listener))}/hook?from=mediatray`

/** Serves each request with the next status; the last one repeats. */
async function serve(...statuses: readonly number[]) {
  const received: Received[] = []
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      response.writeHead(statuses[received.length - 1] ?? statuses.at(-1) ?? 200, { location: '/elsewhere' })
      response.end('x'.repeat(100_000))
    })
  })
  return { url, received }
}

const withProgram = (script: string): Hooked =>
  openHooked(folder, { program: programIn(folder, 'hook', script), url: null })
const withUrl = (url: string, keyStore?: KeyStore): Hooked =>
  openHooked(folder, { program: null, url }, keyStore === undefined ? {} : { keyStore })

const targetOf = ({ action, target }: HookState): HookTarget => ({
  action: action === 'program' ? action : 'url',
  path: target,
})
const stateOf = ({ history }: Hooked, id: string) => history.hooks.of(asRecordId(id))[0]
/** Waits until an action's try has ended. */
const tried = (hooked: Hooked, id: string, tries = 1) =>
  expect
    .poll(() => {
      const state = stateOf(hooked, id)
      return state !== undefined && !hooked.runner.status(targetOf(state)).isRunning && state.tries
    })
    .toBe(tries)
/** Starts the runner, and ends a job whose action is tried once. */
async function followed(hooked: Hooked, id: string): Promise<void> {
  hooked.runner.start()
  hooked.end(id)
  await tried(hooked, id)
}
const fileIn = (name: string) => join(folder, name)
const written = (name: string) =>
  expect.poll(() => existsSync(fileIn(name)) && readFileSync(fileIn(name), 'utf8')).toBeTruthy()

describe('a program', () => {
  it('gets the report on stdin, without arguments, a shell or the app’s key in its environment', async () => {
    process.env['MEDIATRAY_API_KEY'] = 'secret'
    onTestFinished(() => void delete process.env['MEDIATRAY_API_KEY'])
    const hooked = withProgram(`echo "$#:$MEDIATRAY_API_KEY:" > ${folder}/facts; cat > ${folder}/report.json`)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')).toMatchObject({
      result: { kind: 'exited', code: 0 },
      tries: 1,
      nextAt: null,
    })
    expect(readFileSync(fileIn('facts'), 'utf8')).toBe('0::\n')
    const report = JobReport.parse(JSON.parse(readFileSync(fileIn('report.json'), 'utf8')))
    expect(report.test).toBe(false)
  })

  it('may ignore the report and flood both outputs; the last line of its errors is kept', async () => {
    const hooked = withProgram(
      'yes | head -c 5000000; yes | head -c 5000000 >&2; echo "cannot publish" >&2; exit 3',
    )
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toMatchObject({ kind: 'exited', code: 3, detail: 'cannot publish' })
  })

  itInLongSuite(
    'that hangs, ignores SIGTERM and has started others is killed with them after 60 s',
    async () => {
      const hooked = withProgram(
        `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > ${folder}/child; echo $$ > ${folder}/pid; while :; do sleep 1; done`,
      )
      hooked.runner.start()
      hooked.end('a')
      await written('pid')
      await written('child')
      const processes = ['pid', 'child'].map((name) => Number(readFileSync(fileIn(name), 'utf8')))
      hooked.pass(59_999)
      expect(processes.map(isRunning)).toEqual([true, true])
      hooked.pass(1)
      await setImmediate()
      hooked.pass(2_000)
      await tried(hooked, 'a')
      expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'timedOut' }, tries: 1 })
      await expect.poll(() => processes.some(isRunning)).toBe(false)
    },
  )

  itInLongSuite.runIf(process.platform === 'linux').each([
    ['in a session', ''],
    ['with another environment', 'env -i PATH="$PATH" '],
  ])('is killed after 60 s with those that it has started %s', async (_how, prefix) => {
    const inner = programIn(
      folder,
      'inner',
      `trap '' TERM; echo $$ > ${folder}/inner-pid; while :; do sleep 1; done`,
    )
    // The second program starts the third one and ends, so that the third one has no parent here.
    const middle = programIn(folder, 'middle', `setsid ${inner} & sleep 0.2`)
    const hooked = withProgram(
      `${prefix}setsid sh -c 'echo $$ > ${folder}/child; while :; do sleep 1; done' & ${middle}; echo $$ > ${folder}/pid; sleep 600`,
    )
    hooked.runner.start()
    hooked.end('a')
    for (const name of ['pid', 'child', 'inner-pid']) await written(name)
    const processes = ['pid', 'child', 'inner-pid'].map((name) => Number(readFileSync(fileIn(name), 'utf8')))
    onTestFinished(() => {
      for (const pid of processes.filter(isRunning)) process.kill(pid, 'SIGKILL')
    })
    expect(processes.map(isRunning)).toEqual([true, true, true])
    hooked.pass(60_000)
    await setImmediate()
    hooked.pass(2_000)
    await tried(hooked, 'a')
    expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'timedOut' } })
    await expect.poll(() => processes.filter(isRunning)).toEqual([])
  })

  itInLongSuite(
    'ends when it exits, even if a program that it has started keeps its output open',
    async () => {
      const hooked = withProgram(`sleep 60 & echo $! > ${folder}/child; exit 0`)
      await followed(hooked, 'a')
      expect(stateOf(hooked, 'a')?.result).toMatchObject({ kind: 'exited', code: 0 })
      const child = Number(readFileSync(fileIn('child'), 'utf8'))
      expect(isRunning(child)).toBe(true)
      process.kill(child, 'SIGKILL')
    },
  )

  it('that is gone or that others could change isn’t run, and runs once that is fixed', async () => {
    const hooked = withProgram(`echo ran > ${folder}/ran`)
    const program = fileIn('hook')
    const source = readFileSync(program, 'utf8')
    rmSync(program)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toEqual({ kind: 'notStarted', fault: 'missing' })
    writeFileSync(program, source, { mode: 0o700 })
    hooked.pass(10_000)
    await tried(hooked, 'a', 2)
    expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'exited', code: 0 }, nextAt: null })
    expect(readFileSync(fileIn('ran'), 'utf8')).toBe('ran\n')
  })

  it('that exits in time while the app is suspended has succeeded', async () => {
    const hooked = withProgram(
      `echo $$ > ${fileIn('pid')}; until [ -e ${fileIn('go')} ]; do sleep 0.02; done`,
    )
    hooked.runner.start()
    hooked.end('a')
    await written('pid')
    const pid = readFileSync(fileIn('pid'), 'utf8').trim()
    writeFileSync(fileIn('go'), '')
    // Until the process is waited for, nothing else runs here, as in a suspended app.
    while (!spawnSync('ps', ['-o', 'stat=', '-p', pid]).stdout.toString().startsWith('Z'));
    hooked.pass(60_000)
    await tried(hooked, 'a')
    expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'exited', code: 0 }, nextAt: null })
  })

  it('runs for a user without a home folder, and shows no control characters', async () => {
    const home = process.env['HOME']
    onTestFinished(() => void (process.env['HOME'] = home))
    process.env['HOME'] = fileIn('missing')
    const hooked = withProgram(`printf 'first\\n\\033[31mred \\000\\342\\200\\256end\\n' >&2; exit 3`)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toMatchObject({ kind: 'exited', code: 3, detail: '[31mred end' })
  })

  it('that runs when the app quits is ended and tried again', async () => {
    const hooked = withProgram(`echo $$ > ${folder}/pid; sleep 60`)
    hooked.runner.start()
    hooked.end('a')
    await written('pid')
    await hooked.close()
    expect(isRunning(Number(readFileSync(fileIn('pid'), 'utf8')))).toBe(false)
    const next = openHooked(folder, { program: programIn(folder, 'hook', 'exit 0'), url: null })
    expect(stateOf(next, 'a')).toMatchObject({ result: { kind: 'interrupted' }, tries: 1 })
    next.pass(20_000)
    next.runner.start()
    await tried(next, 'a', 2)
    expect(stateOf(next, 'a')?.nextAt).toBeNull()
  })
})

describe('a URL', () => {
  it('gets the report with a signature over the time and the body, made with the key in the keychain', async () => {
    const { url, received } = await serve(204)
    const keyStore = createSessionKeyStore()
    const hooked = withUrl(url, keyStore)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'answered', status: 204 }, nextAt: null })
    const [{ headers, body } = { headers: {}, body: '' }] = received
    const key = await createSigningKey(keyStore).read()
    const seconds = STARTED / 1_000
    const digest = createHmac('sha256', key.ok ? key.value : '')
      .update(`${seconds}.${body}`)
      .digest('hex')
    expect(headers['mediatray-signature']).toBe(`t=${seconds},v1=${digest}`)
    expect(headers['content-type']).toBe('application/json')
    expect(headers['mediatray-delivery']).toBe(JobReport.parse(JSON.parse(body)).id)
  })

  it('that fails is tried five times within half an hour, always with the same ID', async () => {
    const { url, received } = await serve(503)
    const hooked = withUrl(url)
    hooked.runner.start()
    hooked.end('a')
    for (const [tries, wait] of [10_000, 300_000, 600_000, 900_000].entries()) {
      await tried(hooked, 'a', tries + 1)
      expect(stateOf(hooked, 'a')?.nextAt).toBe(hooked.timing.clock() + wait)
      hooked.pass(wait)
    }
    await tried(hooked, 'a', 5)
    expect(stateOf(hooked, 'a')).toMatchObject({ result: { kind: 'answered', status: 503 }, nextAt: null })
    expect(new Set(received.map(({ headers }) => headers['mediatray-delivery'])).size).toBe(1)
    hooked.history.hooks.again(asRecordId('a'), { action: 'url', receiver: '' })
    await expect.poll(() => received.length).toBe(6)
    await tried(hooked, 'a', 5)
    expect(hooked.history.details(asRecordId('a'))?.outcome?.kind).toBe('done')
  })

  it('that redirects isn’t followed', async () => {
    const { url, received } = await serve(307)
    const hooked = withUrl(url)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toMatchObject({ kind: 'answered', status: 307 })
    expect(received).toHaveLength(1)
  })

  it('that never answers, drops the connection or isn’t there counts as failed', async () => {
    const silent = Promise.withResolvers<void>()
    const hooked = withUrl(await listen(() => silent.resolve()))
    hooked.runner.start()
    hooked.end('a')
    await silent.promise
    hooked.pass(30_000)
    await tried(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toEqual({ kind: 'timedOut' })

    hooked.choose({ program: null, url: await listen((request) => request.destroy()) })
    hooked.end('b')
    await tried(hooked, 'b')
    expect(stateOf(hooked, 'b')?.result).toMatchObject({ kind: 'notReached' })

    hooked.choose({ program: null, url: 'http://127.0.0.1:1/' })
    hooked.end('c')
    await tried(hooked, 'c')
    expect(stateOf(hooked, 'c')?.result).toEqual({ kind: 'notReached', code: 'ECONNREFUSED' })
  })

  it('without encryption, or on another computer without it, gets nothing', async () => {
    const hooked = withUrl('http://example.org/')
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toEqual({ kind: 'badUrl', fault: 'notSecure' })
  })

  it('gets nothing unsigned while the keychain is locked', async () => {
    const { url, received } = await serve(200)
    const locked: KeyStore = {
      ...createSessionKeyStore(),
      read: async () => ({ ok: false, trouble: 'locked' }),
    }
    const hooked = withUrl(url, locked)
    await followed(hooked, 'a')
    expect(stateOf(hooked, 'a')?.result).toEqual({ kind: 'noKey', trouble: 'locked' })
    expect(received).toEqual([])
  })
})

it('a program that hangs doesn’t hold up the URL', async () => {
  const { url, received } = await serve(200)
  const hooked = openHooked(folder, { program: programIn(folder, 'hook', 'sleep 60'), url })
  hooked.runner.start()
  hooked.end('a')
  hooked.end('b')
  await expect.poll(() => received.length).toBe(2)
  expect(hooked.runner.busy()).toBe(true)
})

function fail(): never {
  throw new URIError('URI malformed')
}

it('an error in Mediatray itself is the result of an attempt, and doesn’t hold up other jobs', async () => {
  const program = programIn(folder, 'hook', `echo ran >> ${folder}/ran`)
  const hooked = openHooked(
    folder,
    { program, url: null, receivers: [{ id: 'chat', format: 'slack', host: 'chat' }] },
    {
      report: async (job, id) => (job === 'a' ? fail() : exampleReport(id, new Date(STARTED))),
      message: fail,
      onProgramEnded: async () => fail(),
    },
  )
  hooked.runner.start()
  for (const job of ['a', 'b']) hooked.end(job)
  const results = (job: string) => hooked.history.hooks.of(asRecordId(job)).map(({ result }) => result)
  const notSent = { kind: 'notReached', code: 'URIError' }
  await expect.poll(() => results('a')).toEqual([notSent, { kind: 'notStarted', fault: 'URIError' }])
  await expect.poll(() => results('b')).toMatchObject([notSent, { kind: 'exited', code: 0 }])
  for (const wait of [10_000, 300_000, 600_000, 900_000]) {
    await expect.poll(() => hooked.runner.busy()).toBe(false)
    hooked.pass(wait)
  }
  await expect.poll(() => hooked.history.hooks.waiting()).toEqual([])
  expect(results('a')).toEqual([notSent, { kind: 'notStarted', fault: 'URIError' }])
  expect(readFileSync(fileIn('ran'), 'utf8')).toBe('ran\n')
})

it('a clock that is set back by a year doesn’t delay the next try by a year', async () => {
  const { url, received } = await serve(503, 200)
  const hooked = withUrl(url)
  await followed(hooked, 'a')
  hooked.setClock(STARTED - 365 * 24 * 3_600_000)
  hooked.pass(60_000)
  await tried(hooked, 'a', 2)
  expect(received).toHaveLength(2)
  expect(stateOf(hooked, 'a')?.nextAt).toBeNull()
})

it('an action that was removed from the settings isn’t tried again, and a changed URL gets what the old one didn’t', async () => {
  const { url: old } = await serve(503)
  const hooked = withUrl(old)
  hooked.runner.start()
  hooked.end('a')
  hooked.end('b')
  await tried(hooked, 'a')
  await tried(hooked, 'b')
  const { url, received } = await serve(200)
  hooked.choose({ program: null, url })
  hooked.pass(10_000)
  await expect.poll(() => received.length).toBe(2)
  hooked.end('c')
  await expect.poll(() => received.length).toBe(3)
  hooked.choose({ program: null, url: null })
  expect(hooked.history.hooks.next({ action: 'url', receiver: '' })).toBeUndefined()
})

it('a test sends an example that is marked as one, and shows how it ended', async () => {
  const { url, received } = await serve(200)
  const hooked = withUrl(url)
  expect(hooked.runner.status({ action: 'url', path: url })).toEqual({
    isRunning: false,
    last: null,
    job: null,
  })
  const state = await hooked.runner.test({ action: 'url', path: url })
  expect(state).toMatchObject({ isTest: true, result: { kind: 'answered', status: 200 } })
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ test: true, job: { id: 'example' } })
  expect(hooked.runner.status({ action: 'url', path: url }).last).toEqual(state)
})
