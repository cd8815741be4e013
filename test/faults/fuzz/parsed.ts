/** Runs a parser on damaged files in a separate process, which may grow or hang. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../temporary-folder.ts'
import type { Parsed } from './parse-alone.ts'

const ENTRY = join(import.meta.dirname, 'parse-alone.ts')
const MIB = 1024 * 1024

/** Mutated files are at most a few hundred kilobytes, and a parser that copies its file needs only a few times that. */
export const MOST_GROWTH = 128 * MIB
/** Many times the slowest normal parse. Quadratic work takes minutes. */
export const MOST_MS = 2_000

export const fuzzed = (parser: string, seed: number, count: number): Promise<Parsed> =>
  parsedAlone([parser, String(seed), String(count)])

export async function parsed(parser: string, file: Buffer): Promise<Parsed> {
  const path = join(temporaryFolder(), 'file')
  await writeFile(path, file)
  return parsedAlone([parser, path])
}

async function parsedAlone(args: readonly string[]): Promise<Parsed> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=1024', ENTRY, ...args],
    // A parser that hangs doesn't outlive the test.
    { maxBuffer: 64 * MIB, timeout: 1_100_000, killSignal: 'SIGKILL' },
  )
  const result: Parsed = JSON.parse(stdout)
  return result
}
