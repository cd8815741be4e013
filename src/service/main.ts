/**
 * The built-in service as a program: `node main.ts --port N --data-dir DIR`, with the key in MEDIATRAY_API_KEY or, where
 * other programs of the user shall not read it from there, in the first line of stdin. Its first line on stdout says where
 * it listens; everything else it has to say goes to stderr.
 * Exit codes: 0 ended as asked, 1 failed, 2 wrong usage, 3 the port is taken.
 */
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { DEFAULT_PORT } from '../shared/api/limits.ts'
import type { Job } from '../shared/api/resources.ts'
import type { DriveChoice } from '../node/rclone/index.ts'
import { isRemoteName } from '../shared/drive-folder.ts'
import { expectFiles, type Expectation } from './expected-files.ts'
import { createProcessing, openTemporaryFiles } from './processing/processing.ts'
import type { Service } from './service.ts'
import { findConfinement } from '../node/confinement.ts'
import { codeOf } from '../node/errors.ts'

const USAGE =
  'Usage: MEDIATRAY_API_KEY=… service --data-dir DIR [--port N] [--key-stdin] [--exit-with-parent] [--expect image|video --results-into DIR] [--rclone PATH] [--drive-remote NAME]'

type Arguments = {
  readonly port: number
  readonly dataDir: string
  readonly exitWithParent: boolean
  readonly apiKey: string
  readonly expectation: Expectation | undefined
  /** Goes before what is kept in the data folder. */
  readonly driveChoice: DriveChoice
}

class UsageError extends Error {
  override readonly name = 'UsageError'
}

async function readArguments(): Promise<Arguments> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: String(DEFAULT_PORT) },
      'data-dir': { type: 'string' },
      'key-stdin': { type: 'boolean', default: false },
      'exit-with-parent': { type: 'boolean', default: false },
      expect: { type: 'string' },
      'results-into': { type: 'string' },
      rclone: { type: 'string', default: process.env['MEDIATRAY_RCLONE'] ?? '' },
      'drive-remote': { type: 'string', default: process.env['MEDIATRAY_DRIVE_REMOTE'] ?? '' },
    },
  })
  const dataDir = values['data-dir']
  if (!dataDir) throw new UsageError('--data-dir is missing')
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new UsageError('--port must be a number from 0 to 65535')
  }
  const expectation = expectationOf(values.expect, values['results-into'])
  const apiKey = await readKey(values['key-stdin'])
  return {
    port: Number(values.port),
    dataDir: resolve(dataDir),
    exitWithParent: values['exit-with-parent'],
    apiKey,
    expectation,
    driveChoice: driveChoiceOf(values.rclone, values['drive-remote']),
  }
}

function expectationOf(media: string | undefined, into: string | undefined): Expectation | undefined {
  if (media === undefined && into === undefined) return undefined
  if (into === undefined || (media !== 'image' && media !== 'video')) {
    throw new UsageError('--expect is image or video, and goes with --results-into')
  }
  return { media, into: resolve(into) }
}

async function readKey(isOnStdin: boolean): Promise<string> {
  const [key, where] = isOnStdin
    ? [await firstLine(process.stdin), 'The first line of stdin']
    : [process.env['MEDIATRAY_API_KEY'] ?? '', 'MEDIATRAY_API_KEY']
  if (key === '') throw new UsageError(`${where} is missing: it holds the key that clients must send`)
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`${where} may hold only visible ASCII characters, because it travels in a header`)
  }
  // Workers inherit the environment, and have no business with the key.
  delete process.env['MEDIATRAY_API_KEY']
  return key
}

/** Longer than any header that a key could travel in. */
const LONGEST_LINE = 16_384

/** Leaves the stream paused, so that whoever waits for its end doesn't miss it. */
async function firstLine(stream: NodeJS.ReadStream): Promise<string> {
  let text = ''
  const { promise: read, resolve } = Promise.withResolvers<void>()
  const take = (chunk: string) => {
    text += chunk
    if (text.includes('\n') || text.length > LONGEST_LINE) resolve()
  }
  stream.setEncoding('utf8').on('data', take)
  for (const event of ['end', 'close', 'error']) stream.once(event, resolve)
  await read
  stream.pause().off('data', take)
  for (const event of ['end', 'close', 'error']) stream.off(event, resolve)
  return text.split(/\r?\n/, 1)[0] ?? ''
}

function driveChoiceOf(rclone: string, remote: string): DriveChoice {
  const name = remote.replace(/:$/, '')
  if (name !== '' && !isRemoteName(name)) throw new UsageError('--drive-remote is not the name of a remote')
  return {
    ...(rclone === '' ? {} : { rclonePath: resolve(rclone) }),
    ...(name === '' ? {} : { remote: name }),
  }
}

async function start(given: Arguments): Promise<void> {
  const { port, dataDir, apiKey, exitWithParent, driveChoice } = given
  const logger = pino({ name: 'service' }, pino.destination({ dest: 2, sync: true }))
  const log = (message: string) => logger.info(message)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await keepPrivate(dataDir)

  // Nothing that listening needs.
  const confinement = findConfinement({ platform: process.platform, log }).then((found) => {
    log(`workers are held by ${found.kind}`)
    return found
  })
  const temporaryFiles = await openTemporaryFiles(join(dataDir, 'unfinished'), log)
  const processing = createProcessing({
    workerPath: workerPath(),
    confinement,
    temporaryName: (folder) => temporaryFiles.nameIn(folder),
    log,
  })
  const expected = await expectFiles(processing, given.expectation)
  const { openService } = await import('./open-service.ts')
  const service = await openService({
    dataDir,
    apiKey,
    processing,
    temporaryFiles,
    driveChoice,
    log,
    // Whoever started this service asks then, instead of waiting for its next poll.
    ...(exitWithParent ? { onJobEnded: () => announce({ event: 'jobEnded' }) } : {}),
  })
  endWhenAsked(async () => {
    const jobs = await service.close()
    await expected.forget()
    return jobs
  }, exitWithParent)
  const { baseUrl } = await service.listen({ port })
  announce({ event: 'listening', baseUrl })
}

/** All that the service keeps in its data folder. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  'drive-work',
  'drive.json',
  'presets',
  'unfinished',
  'uploads',
])

/** Whoever made the folder first may have let others in. One that holds more than ours is somebody's, and stays as it is. */
async function keepPrivate(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir)
  if (entries.every((name) => OWN_ENTRIES.has(name))) await chmod(dataDir, 0o700)
}

/** In the sources the worker lies in `src/media`; in a bundle it lies beside this file. */
function workerPath(): string {
  const isBundle = !import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(isBundle ? './worker.js' : '../media/job-worker.ts', import.meta.url))
}

/** Ends once, whichever way it is asked to. */
function endWhenAsked(close: Service['close'], exitWithParent: boolean): void {
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    close().then(
      // Whoever started this service can ask it no more, and learns here what became of its jobs.
      (jobs) =>
        exitWithParent ? announce({ event: 'ended', jobs }, () => process.exit(0)) : process.exit(0),
      (error: unknown) => fail(1, `The service did not end cleanly: ${String(error)}`),
    )
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  if (exitWithParent) whenParentIsGone(end)
}

/** One line to the parent is enough; where there is a better one, stdin may be empty from the beginning. */
function whenParentIsGone(end: () => void): void {
  if (process.connected) {
    process.on('disconnect', end)
    return
  }
  for (const event of ['end', 'close', 'error']) process.stdin.on(event, end)
  if (process.stdin.readableEnded || process.stdin.destroyed) return end()
  process.stdin.resume()
}

type Announcement =
  | { readonly event: 'listening'; readonly baseUrl: string }
  /** Which, and how, is said by `GET /jobs` alone. */
  | { readonly event: 'jobEnded' }
  | { readonly event: 'ended'; readonly jobs: readonly Job[] }

// Whoever could have read it has gone, which stdin tells.
process.stdout.on('error', () => undefined)

/** @param done it was read, or there is nobody who could */
function announce(message: Announcement, done: () => void = () => undefined): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, () => done())
}

function fail(exitCode: number, message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(exitCode)
}

function explain(error: unknown): never {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')) return fail(2, `${message}\n${USAGE}`)
  if (code === 'EADDRINUSE') return fail(3, `The port is in use by another program: ${message}`)
  return fail(1, `The service can't start: ${message}`)
}

try {
  await start(await readArguments())
} catch (error) {
  explain(error)
}
