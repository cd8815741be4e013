/**
 * The built-in service as a program: `node main.ts --port N --data-dir DIR`. The key comes from MEDIATRAY_API_KEY or from the first line of
 * stdin, which hides it from the user's other programs. With `--owner`, the service creates a key. The first line on stdout is a JSON
 * object with the address that the service listens on; everything else goes to stderr. Exit codes: 0 stopped on request, 1 failed, 2 usage
 * error, 3 port in use.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { DEFAULT_PORT } from '../shared/api/limits.ts'
import type { DriveChoice } from '../node/rclone/index.ts'
import { isRemoteName } from '../shared/drive-folder.ts'
import { openPlacementNotes } from '../node/placement-notes.ts'
import { createProcessing, openTemporaryFiles, type Processing } from './processing/processing.ts'
import { followOwners, type FollowedOwners } from './follow-owners.ts'
import { type Confinement, findConfinement } from '../node/confinement.ts'
import { codeOf, messageOf } from '../node/errors.ts'
import { watchProgramFile } from '../node/program-files.ts'

const USAGE =
  'Usage: MEDIATRAY_API_KEY=… service --data-dir DIR [--port N] [--key-stdin] [--rclone PATH] [--drive-remote NAME]'

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
      // For the owner of a Mediatray data folder: its version, and how long the service runs without one, in ms.
      owner: { type: 'string' },
      'alone-ms': { type: 'string' },
      rclone: { type: 'string', default: process.env['MEDIATRAY_RCLONE'] ?? '' },
      'drive-remote': { type: 'string', default: process.env['MEDIATRAY_DRIVE_REMOTE'] ?? '' },
    },
  })
  const dataDir = values['data-dir']
  if (!dataDir) throw new UsageError('--data-dir is missing')
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new UsageError('--port must be a number from 0 to 65535')
  }
  const { owner, 'alone-ms': aloneMs } = values
  const apiKey =
    owner === undefined ? await readKey(values['key-stdin']) : randomBytes(KEY_BYTES).toString('base64url')
  return {
    port: Number(values.port),
    dataDir: resolve(dataDir),
    apiKey,
    owner: owner === undefined ? undefined : { version: owner, ...(aloneMs && { aloneMs: Number(aloneMs) }) },
    /** Each field overrides the one stored in the data folder. */
    driveChoice: driveChoiceOf(values.rclone, values['drive-remote']),
  }
}

const KEY_BYTES = 32

async function readKey(isOnStdin: boolean): Promise<string> {
  const line = isOnStdin ? await firstLine(process.stdin) : undefined
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
  return key
}

/** Number of characters after which reading stops, even without a line break. Keys that fit in a header are shorter. */
const LONGEST_LINE = 16_384

/** Reads the first line and leaves the stream open. */
async function firstLine(stream: NodeJS.ReadStream): Promise<string> {
  let text = ''
  const { promise: read, resolve } = Promise.withResolvers<void>()
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.includes('\n') || text.length > LONGEST_LINE) resolve()
  })
  for (const event of ['end', 'close', 'error']) stream.once(event, resolve)
  await read
  stream.pause()
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

type Setting = {
  readonly worker: string
  readonly confinement: Promise<Confinement>
  readonly log: (message: string) => void
}

async function start(
  given: Awaited<ReturnType<typeof readArguments>>,
  { worker, confinement, log }: Setting,
): Promise<void> {
  const { port, dataDir, apiKey, owner, driveChoice } = given
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await keepPrivate(dataDir)
  const temporaryFiles = await openTemporaryFiles(join(dataDir, 'unfinished'), log)
  const made = createProcessing({
    workerPath: worker,
    confinement,
    temporaryName: (folder) => temporaryFiles.nameIn(folder),
    noteReservation: (target) => temporaryFiles.noteReservation(target),
    log,
  })
  const processing = endingIfReplaced(made, watchProgramFile(worker), () => shutdown.request())
  let owners: FollowedOwners | undefined
  // Only an owner reads and removes these notes. Without one, they would never be removed.
  const placements = owner && openPlacementNotes(join(dataDir, 'placed'), log)
  const opening = import('./service.ts').then(({ openService }) =>
    openService(
      {
        dataDir,
        apiKey,
        processing,
        temporaryFiles,
        log,
        ...(placements && { placements, onJobEnded: () => owners?.jobEnded() }),
      },
      driveChoice,
    ),
  )
  const shutdown = shutDownOnRequest(async () => {
    owners?.closing()
    const jobs = await (await opening).close()
    // Sends the jobs to the owner, which can't query the service anymore. If the owner was killed, this isn't a clean shutdown.
    if (await owners?.end(jobs)) placements?.ended()
  }, owner !== undefined)
  const service = await opening
  if (shutdown.isRequested()) return
  if (owner !== undefined) onParentExit(() => void (owners?.hadOwner() === true || shutdown.request()))
  const { baseUrl } = await service.listen({ port })
  if (owner !== undefined) {
    owners = await followOwners(dataDir, {
      ...owner,
      serving: { baseUrl, key: apiKey },
      steer: (steering) => processing.steer(steering),
      onEnd: shutdown.request,
    })
    if (shutdown.isRequested()) owners.closing()
  }
  process.stdout.write(`${JSON.stringify({ event: 'listening', baseUrl })}\n`)
}

/**
 * Ends the service if a task fails after the program was updated or removed. Workers can then no longer load the rest of their code, so the
 * file isn't the cause.
 */
const endingIfReplaced = (
  processing: Processing,
  isReplaced: () => boolean,
  end: () => void,
): Processing => ({
  ...processing,
  async run(task, control) {
    try {
      return await processing.run(task, control)
    } catch (error) {
      const { signal } = control
      if (signal.aborted || !isReplaced()) throw error
      end()
      return await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
  },
})

/** All entries that the service or its owner creates in the service's data folder. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  'drive-work',
  'drive.json',
  'owner.key',
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

/**
 * Shuts down on the first request and ignores later ones. SIGTERM is a request. SIGINT is one only without an owner: Ctrl-C may also
 * reach the owner, which then decides what happens to the jobs.
 */
function shutDownOnRequest(close: () => Promise<void>, hasOwner: boolean) {
  let isEnding = false
  const request = () => {
    if (isEnding) return
    isEnding = true
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(1, `The service didn't shut down cleanly: ${String(error)}`),
    )
  }
  process.on('SIGTERM', request)
  process.on('SIGINT', hasOwner ? () => undefined : request)
  return { request, isRequested: (): boolean => isEnding }
}

/** Calls back when stdin closes: the process that started this one has ended, has released it, or requests its end. */
function onParentExit(end: () => void): void {
  for (const event of ['end', 'close', 'error']) process.stdin.on(event, end)
  process.stdin.resume()
}

// The pipes lose their readers when the owner that started the service ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

function fail(exitCode: number, message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(exitCode)
}

function explain(error: unknown): never {
  const code = codeOf(error)
  const message = messageOf(error)
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
