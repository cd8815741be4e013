/**
 * The main job with nothing but Node, where there is no window: the command line, which is the app's own core, hands the sample
 * files to the built-in service; each result is decoded and held against what the preset promises.
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

/** What is said of one job while it runs; of a job that was sent, its files. */
const Happening = z.object({
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

/** How the command line is started, and with what environment besides this process's own. */
export type CommandLine = {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

const FROM_SOURCES: CommandLine = {
  program: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', join(root, 'src/main/cli/mediatray.ts')],
}

/**
 * Leaves the results in a new folder, and nothing else anywhere.
 *
 * @returns 0 only if every result is what the preset promises
 */
export async function runMainJob(
  commandLine: CommandLine = FROM_SOURCES,
  folder: string = newFolder(),
): Promise<number> {
  const home = join(folder, 'data')
  const output = join(folder, 'results')
  console.log(`${FILES.map((path) => basename(path)).join(', ')}: a job each, with the preset “${PRESET}”.`)
  try {
    const options = ['--preset', PRESET, '--separate', '--wait', '--output', output]
    const command = inHome(home, commandLine)
    const code = await command(['submit', ...FILES, ...options], sayer())
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
    console.log(`They are in ${output}`)
    return isRight && code === 0 ? 0 : 1
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** As by Ctrl-C. */
export const INTERRUPTED = 130

/** @throws Error with what to do about it where none can be made */
function newFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'mediatray-'))
  } catch {
    throw new Error(
      `The results need a place, and ${tmpdir()} can’t be written. Type: TMPDIR=<a folder> npm start`,
    )
  }
}

const waitForEnd = (): void => {}

/**
 * Runs one command of the command line on data of its own, with a home of its own: the person's may be out of reach, and the
 * person's own jobs are nobody's business here.
 *
 * @returns what runs a command and gives its exit code
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
    // A terminal tells the child of Ctrl-C by itself; it stops the service, and what is left here cleans up behind it.
    process.on('SIGTERM', pass).on('SIGINT', waitForEnd)
    const closed = once(child, 'close')
    for await (const line of createInterface({ input: child.stdout })) onLine(JSON.parse(line))
    await closed
    process.off('SIGTERM', pass).off('SIGINT', waitForEnd)
    return child.exitCode ?? INTERRUPTED
  }

/** Says what happens, each thing once. */
function sayer(): (line: unknown) => void {
  const names = new Map<string, string>()
  return (line) => {
    const { event, jobId = '', detail = '', share, baseUrl, inputs, outcome, message } = Happening.parse(line)
    const name = names.get(jobId) ?? basename(inputs?.files[0] ?? '')
    switch (event) {
      case 'service':
        console.log(`The built-in service listens at ${baseUrl}`)
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
