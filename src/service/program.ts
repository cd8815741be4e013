/**
 * The built-in service as a program: `node main.ts --port N --data-dir DIR`. The key comes from MEDIATRAY_API_KEY or from the first
 * line of stdin, which hides it from the user's other programs. The first line on stdout is the address that the service listens
 * on; everything else goes to stderr. Exit codes: 0 stopped on request, 1 failed, 2 usage error, 3 port in use.
 *
 */
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { DEFAULT_PORT } from '../shared/api/limits.ts'
import type { Job } from '../shared/api/resources.ts'
import type { DriveChoice } from '../node/rclone/index.ts'
import { readSteering, type Steering } from '../shared/steering.ts'
import { isRemoteName } from '../shared/drive-folder.ts'
import { openPlacementNotes, type PlacementNotes } from '../node/placement-notes.ts'
import { createProcessing, openTemporaryFiles } from './processing/processing.ts'
import type { Service } from './service.ts'
import { type Confinement, findConfinement } from '../node/confinement.ts'
import { codeOf } from '../node/errors.ts'

const USAGE =
  'Usage: MEDIATRAY_API_KEY=… service --data-dir DIR [--port N] [--key-stdin] [--exit-with-parent] [--rclone PATH] [--drive-remote NAME]'

class UsageError extends Error {
  override readonly name = 'UsageError'
}

async function readArguments() {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: {
      port: { type: 'string', default: String(DEFAULT_PORT) },
      'data-dir': { type: 'string' },
      'key-stdin': { type: 'boolean', default: false },
      'exit-with-parent': { type: 'boolean', default: false },
      rclone: { type: 'string', default: process.env['MEDIATRAY_RCLONE'] ?? '' },
      'drive-remote': { type: 'string', default: process.env['MEDIATRAY_DRIVE_REMOTE'] ?? '' },
    },
  })
  const dataDir = values['data-dir']
  if (!dataDir) throw new UsageError('--data-dir is missing')
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new UsageError('--port must be a number from 0 to 65535')
  }
  const { apiKey, rest } = await readKey(values['key-stdin'])
  return {
    port: Number(values.port),
    dataDir: resolve(dataDir),
    exitWithParent: values['exit-with-parent'],
    apiKey,
    /** What the parent process has written after the key. */
    rest,
    /** Overrides the drive stored in the data folder. */
    driveChoice: driveChoiceOf(values.rclone, values['drive-remote']),
  }
}

async function readKey(isOnStdin: boolean): Promise<{ readonly apiKey: string; readonly rest: string }> {
  const { line, rest } = isOnStdin ? await firstLine(process.stdin) : { line: undefined, rest: '' }
  const [key, where] =
    line === undefined
      ? [process.env['MEDIATRAY_API_KEY'] ?? '', 'MEDIATRAY_API_KEY']
      : [line, 'The first line of stdin']
  if (key === '') throw new UsageError(`${where} is missing: it contains the key that clients must send`)
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`${where} may contain only visible ASCII characters, because it is sent in a header`)
  }
  // Workers inherit the environment but must not see the key.
  delete process.env['MEDIATRAY_API_KEY']
  return { apiKey: key, rest }
}

/** Longer than any key that fits in a header. */
const LONGEST_LINE = 16_384

/** Reads the first line, then pauses the stream so that later listeners don't miss anything. `rest` follows the line. */
async function firstLine(
  stream: NodeJS.ReadStream,
): Promise<{ readonly line: string; readonly rest: string }> {
  let text = ''
  const { promise: read, resolve } = Promise.withResolvers<void>()
  const take = (chunk: string) => {
    text += chunk
    if (text.includes('\n') || text.length > LONGEST_LINE) resolve()
  }
  stream.setEncoding('utf8').on('data', take).resume()
  for (const event of ['end', 'close', 'error']) stream.once(event, resolve)
  await read
  stream.pause().off('data', take)
  for (const event of ['end', 'close', 'error']) stream.off(event, resolve)
  const [line = ''] = text.split(/\r?\n/, 1)
  const end = text.indexOf('\n')
  return { line, rest: end < 0 ? '' : text.slice(end + 1) }
}

function driveChoiceOf(rclone: string, remote: string): DriveChoice {
  const name = remote.replace(/:$/, '')
  if (name !== '' && !isRemoteName(name)) throw new UsageError('--drive-remote is not the name of a remote')
  return {
    ...(rclone === '' ? {} : { rclonePath: resolve(rclone) }),
    ...(name === '' ? {} : { remote: name }),
  }
}

type Setting = {
  /** Path of the worker's script. */
  readonly worker: string
  readonly confinement: Promise<Confinement>
  readonly log: (message: string) => void
}

async function start(
  given: Awaited<ReturnType<typeof readArguments>>,
  { worker, confinement, log }: Setting,
): Promise<void> {
  const { port, dataDir, apiKey, exitWithParent, rest, driveChoice } = given
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await keepPrivate(dataDir)
  const temporaryFiles = await openTemporaryFiles(join(dataDir, 'unfinished'), log)
  const processing = createProcessing({
    workerPath: worker,
    confinement,
    temporaryName: (folder) => temporaryFiles.nameIn(folder),
    noteReservation: (target) => temporaryFiles.noteReservation(target),
    log,
  })
  const forParent = exitWithParent ? parentOptions(dataDir, log) : undefined
  const opening = import('./service.ts').then(({ openService }) =>
    openService({ dataDir, apiKey, processing, temporaryFiles, log, ...forParent }, driveChoice),
  )
  const shutdown = shutDownOnRequest(async () => (await opening).close(), forParent?.placements)
  const service = await opening
  if (shutdown.isRequested()) return
  if (exitWithParent) {
    onParentExit(shutdown.request)
    followParent(rest, (steering) => processing.steer(steering))
  }
  const { baseUrl } = await service.listen({ port })
  announce({ event: 'listening', baseUrl })
}

const parentOptions = (dataDir: string, log: (message: string) => void) => ({
  // Only a parent process reads and removes these notes. Without a parent, they would never be removed.
  placements: openPlacementNotes(join(dataDir, 'placed'), log),
  // Lets the parent process read the job list immediately instead of at its next poll.
  onJobEnded: () => announce({ event: 'jobEnded' }),
})

/** All entries that the service creates in its data folder. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  'drive-work',
  'drive.json',
  'placed',
  'presets',
  'unfinished',
  'uploads',
])

/** Removes other users' access to an existing data folder. A folder with other contents isn't ours and stays unchanged. */
async function keepPrivate(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir)
  if (entries.every((name) => OWN_ENTRIES.has(name))) await chmod(dataDir, 0o700)
}

type Shutdown = { readonly request: () => void; readonly isRequested: () => boolean }

/**
 * Shuts down on the first request and ignores later ones. A signal is a request, but Ctrl-C also reaches the parent process, which
 * decides what happens to the jobs.
 * @param placements set if there is a parent process
 */
function shutDownOnRequest(close: Service['close'], placements: PlacementNotes | undefined): Shutdown {
  let isEnding = false
  const request = () => {
    if (isEnding) return
    isEnding = true
    close().then(
      // The parent process can't query the service anymore, so it receives the final state of the jobs here.
      (jobs) =>
        placements === undefined
          ? process.exit(0)
          : announce({ event: 'ended', jobs }, (isRead) => {
              // If the parent was killed, this isn't an end in good order.
              if (isRead) placements.ended()
              process.exit(0)
            }),
      (error: unknown) => fail(1, `The service didn't shut down cleanly: ${String(error)}`),
    )
  }
  process.on('SIGTERM', request)
  process.on('SIGINT', placements === undefined ? request : () => undefined)
  return { request, isRequested: () => isEnding }
}

/** Watches the IPC channel if there is one, because stdin may then be closed from the start. Otherwise watches stdin. */
function onParentExit(end: () => void): void {
  if (process.connected) {
    process.on('disconnect', end)
    return
  }
  for (const event of ['end', 'close', 'error']) process.stdin.on(event, end)
  if (process.stdin.readableEnded || process.stdin.destroyed) return end()
  process.stdin.resume()
}

/**
 * Follows the app's instructions, each a line of JSON on stdin. They end with the app, and the service with them, so a paused service
 * can't stay paused.
 * @param rest the beginning of stdin, if it has already been read
 */
function followParent(rest: string, steer: (steering: Steering) => void): void {
  let text = ''
  const take = (chunk: string): void => {
    const lines = `${text}${chunk}`.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const steering = readSteering(line)
      if (steering !== undefined) steer(steering)
    }
    if (text.length > LONGEST_LINE) text = ''
  }
  take(rest)
  process.stdin.setEncoding('utf8').on('data', take)
}

type Announcement =
  | { readonly event: 'listening'; readonly baseUrl: string }
  /** A job has ended. Only `GET /jobs` reports which one, and how. */
  | { readonly event: 'jobEnded' }
  | { readonly event: 'ended'; readonly jobs: readonly Job[] }

// The reader of stdout is gone, which the end of stdin reports.
process.stdout.on('error', () => undefined)

/**
 * Writes a message for the parent process.
 * @param done called once the message has been written or has failed: whether a process reads it
 */
function announce(message: Announcement, done: (isRead: boolean) => void = () => undefined): void {
  process.stdout.write(`${JSON.stringify(message)}\n`, (error) => done(!error))
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
  return fail(1, `Couldn't start the service: ${message}`)
}

/** @param worker path of the worker's script */
export async function runProgram(worker: string): Promise<void> {
  const logger = pino({ name: 'service' }, pino.destination({ dest: 2, sync: true }))
  const log = (message: string) => logger.info(message)
  // Runs in the background, because neither reading the arguments nor listening needs it.
  const confinement = findConfinement({ platform: process.platform, log }).then((found) => {
    log(`worker confinement: ${found.kind}`)
    return found
  })
  try {
    await start(await readArguments(), { worker, confinement, log })
  } catch (error) {
    explain(error)
  }
}
