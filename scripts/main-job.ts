/**
 * Runs the main job with Node alone, if no window can be shown. The command line, which shares its core with the app, submits the sample
 * files to the built-in service. Each result is decoded and compared with what the preset promises.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { mediaKindOf } from '../src/shared/media-types.ts'
import { promisesOf } from './preset-promise.ts'
import { check, printResults } from './result-table.ts'

const root = resolve(import.meta.dirname, '..')
const PRESET = 'Web 1080p'
const FILES = ['dawn-upright.jpg', 'flower-on-nothing.png', 'evening-lake.heic', 'sunrise.mp4'].map((name) =>
  join(root, 'assets/samples', name),
)

/** One line of the command's JSON output. Only the line for an accepted job has its files. */
const JobEvent = z.object({
  event: z.string(),
  jobId: z.string().optional(),
  detail: z.string().optional(),
  share: z.number().nullish(),
  baseUrl: z.string().optional(),
  inputs: z.object({ files: z.array(z.string()) }).optional(),
  outcome: z.object({ kind: z.string() }).optional(),
  message: z.string().optional(),
})

const Remembered = z.object({
  event: z.literal('record'),
  record: z.object({
    firstPath: z.string(),
    endedAt: z.number().nullable(),
    results: z.array(z.object({ outputPath: z.string() })),
    facts: z.object({ startedAt: z.number().nullable() }),
  }),
})

/** The command that launches the command-line tool, and additions to its environment. */
export type CommandLine = {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

const FROM_SOURCES: CommandLine = {
  program: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', join(root, 'src/client/mediatray.ts')],
}

/**
 * Runs the job and leaves only the results, in a new folder.
 * @returns 0 only if every result is what the preset promises
 */
export async function runMainJob(
  commandLine: CommandLine = FROM_SOURCES,
  folder: string = newFolder(),
): Promise<number> {
  const home = join(folder, 'data')
  const output = join(folder, 'results')
  console.log(`${FILES.map((path) => basename(path)).join(', ')}: one job each, with the preset “${PRESET}”.`)
  try {
    const options = ['--preset', PRESET, '--separate', '--wait', '--output', output]
    const command = inHome(home, commandLine)
    const code = await command(['submit', ...FILES, ...options], eventPrinter())
    if (code === INTERRUPTED) return code
    const records = new Map<string, z.infer<typeof Remembered>['record']>()
    await command(['history'], (line) => {
      const { success, data } = Remembered.safeParse(line)
      if (success) records.set(data.record.firstPath, data.record)
    })
    const promised = promisesOf(PRESET)
    const results = await Promise.all(
      FILES.map((input) => {
        const record = records.get(input)
        const { startedAt = null } = record?.facts ?? {}
        const { endedAt = null } = record ?? {}
        return check({
          input,
          output: record?.results[0]?.outputPath,
          promised: promised[mediaKindOf(input) ?? 'image'],
          took: startedAt === null || endedAt === null ? undefined : endedAt - startedAt,
        })
      }),
    )
    console.log('')
    const isRight = printResults(results, PRESET)
    console.log(`Results are in ${output}`)
    return isRight && code === 0 ? 0 : 1
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The exit code after Ctrl-C. */
export const INTERRUPTED = 130

/** @throws Error with advice if the folder can't be created */
function newFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'mediatray-'))
  } catch {
    throw new Error(
      `Couldn’t create a folder for the results: ${tmpdir()} isn’t writable. Type: TMPDIR=<a folder> npm start`,
    )
  }
}

const waitForEnd = (): void => {}

/**
 * Runs commands with a separate data folder and home. The user's own may be unavailable, and the user's jobs must not be affected.
 * @returns a function that runs a command and resolves to its exit code
 */
const inHome =
  (home: string, { program, args, env }: CommandLine) =>
  async (words: readonly string[], onLine: (line: unknown) => void): Promise<number> => {
    const child = spawn(program, [...args, '--json', ...words], {
      cwd: root,
      env: { ...process.env, ...env, HOME: home, MEDIATRAY_DATA_DIR: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const pass = (signal: NodeJS.Signals) => void child.kill(signal)
    // A terminal sends Ctrl-C to the child as well. The child stops the service, and this process then cleans up.
    process.on('SIGTERM', pass).on('SIGINT', waitForEnd)
    const closed = once(child, 'close')
    for await (const line of createInterface({ input: child.stdout })) onLine(JSON.parse(line))
    await closed
    process.off('SIGTERM', pass).off('SIGINT', waitForEnd)
    return child.exitCode ?? INTERRUPTED
  }

/** Prints each event once. */
function eventPrinter(): (line: unknown) => void {
  const names = new Map<string, string>()
  return (line) => {
    const { event, jobId = '', detail = '', share, baseUrl, inputs, outcome, message } = JobEvent.parse(line)
    const name = names.get(jobId) ?? basename(inputs?.files[0] ?? '')
    switch (event) {
      case 'service':
        console.log(`The built-in service is listening at ${baseUrl}`)
        break
      case 'accepted':
        names.set(jobId, name)
        console.log(`  ${name}: accepted`)
        break
      case 'progress': {
        const percent = share === null || share === undefined ? '' : `, ${Math.floor(share * 100)} %`
        if (name !== '') console.log(`  ${name}: ${detail}${percent}`)
        break
      }
      case 'finished':
        console.log(`  ${name}: ${outcome?.kind}`)
        break
      default:
        console.log(`  ${message ?? `${name}: ${event}`}`)
    }
  }
}
