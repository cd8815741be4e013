import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'

export const VERDICTS_FILE = join('test-results', 'mutation', 'verdicts.json')

/** `killed` by a failing test, `timed out` if a run never ended, which kills as well. */
const verdict = z.strictObject({
  id: z.string(),
  file: z.string(),
  line: z.number(),
  mutator: z.string(),
  within: z.string(),
  was: z.string(),
  becomes: z.string(),
  outcome: z.enum(['killed', 'timed out', 'survived']),
  killedBy: z.string().optional(),
  seconds: z.number(),
  /** Of the file and the tests: while they stay as they are, so does the verdict. */
  evidence: z.string(),
})

export type Verdict = z.infer<typeof verdict>

const report = z.strictObject({
  /** Milliseconds that each test file takes without a mutant. */
  durations: z.record(z.string(), z.number()),
  verdicts: z.array(verdict),
})

export type Report = z.infer<typeof report>

export function readReport(): Report {
  if (!existsSync(VERDICTS_FILE)) return { durations: {}, verdicts: [] }
  return report.parse(JSON.parse(readFileSync(VERDICTS_FILE, 'utf8')))
}

export function writeReport(what: Report): void {
  mkdirSync(dirname(VERDICTS_FILE), { recursive: true })
  writeFileSync(VERDICTS_FILE, `${JSON.stringify(what, null, 2)}\n`)
}

/** Files are named relative to the project, and read in it or in a copy of it. */
export function evidenceOf(root: string, files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
