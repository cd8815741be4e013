/**
 * Gives damaged files to one parser in a separate process, then reports the slowest time and the growth in memory. Started as
 * `parse-alone.ts <parser> <seed> <count>`, or `parse-alone.ts <parser> <file>` for a single file.
 */
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { seededRandom } from '../seeded-random.ts'
import { mutated } from './mutate.ts'
import { type Parser, PARSERS } from './parsers.ts'

export type Parsed = {
  readonly cases: number
  /** The longest parse in CPU time, so that other processes don't count. */
  readonly slowestMs: number
  readonly grownBytes: number
  /** Unexpected errors, each with the number of its case. */
  readonly surprises: readonly string[]
}

const [, , name = '', from = '', count] = process.argv
const parser = PARSERS[name]
if (parser === undefined) throw new Error(`No parser called ${name}`)
const files = count === undefined ? [readFileSync(from)] : fuzzedFiles(parser, Number(from), Number(count))
process.stdout.write(JSON.stringify(await parseAll(parser, files)))

async function* fuzzedFiles({ seeds }: Parser, first: number, cases: number): AsyncGenerator<Buffer> {
  const whole = await seeds()
  for (let seed = first; seed < first + cases; seed++) {
    const random = seededRandom(seed)
    // Skips the first numbers, which are similar for neighboring seeds.
    for (let skipped = 0; skipped < 4; skipped++) random()
    yield mutated(whole[seed % whole.length] ?? Buffer.alloc(0), random)
  }
}

async function parseAll(
  { seeds, parse, hasDecoder }: Parser,
  all: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<Parsed> {
  // Parses the valid files first, so that memory for loading modules and for parsing a normal file doesn't count as growth.
  for (const whole of await seeds()) await parse(whole)
  const before = process.resourceUsage().maxRSS
  const surprises: string[] = []
  let cases = 0
  let slowestMs = 0
  for await (const file of all) {
    const begun = process.cpuUsage()
    try {
      await parse(file)
    } catch (error) {
      const isExpected = error instanceof FailureError || error instanceof RangeError
      if (!isExpected && !(hasDecoder === true && error instanceof Error))
        surprises.push(`case ${cases}: ${String(error)}`)
    }
    const { user, system } = process.cpuUsage(begun)
    slowestMs = Math.max(slowestMs, (user + system) / 1000)
    cases++
    // Garbage must not count as growth either. Some of it is freed only between two event-loop ticks.
    if (cases % 20 === 0) {
      globalThis.gc?.()
      await setImmediate()
    }
  }
  return { cases, slowestMs, grownBytes: (process.resourceUsage().maxRSS - before) * 1024, surprises }
}
