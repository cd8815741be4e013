/** Summarizes several runs of the same specs from vitest's JSON reports. */
import { relative } from 'node:path'
import * as z from 'zod'

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          duration: z.number().nullish(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

/** One spec in one run. A file that couldn't be run completely counts as one failure. */
export type SpecRun = {
  readonly file: string
  readonly name: string
  readonly ms: number
  /** First line of the reason; null if it passed or wasn't run. */
  readonly failure: string | null
}

export type SpecTimes = {
  readonly file: string
  readonly name: string
  /** Times in ms. */
  readonly median: number
  readonly longest: number
  readonly runs: number
  /** The reason for each failed run. */
  readonly failures: readonly string[]
}

/** @throws if the text isn't a vitest report */
export function readReport(text: string, root: string): readonly SpecRun[] {
  const { testResults } = Report.parse(JSON.parse(text))
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name)
    const specs = assertionResults.map(({ fullName, status: how, duration, failureMessages }) => ({
      file,
      name: fullName,
      ms: duration ?? 0,
      failure: how === 'failed' ? firstLine(failureMessages?.join('\n') ?? '') : null,
    }))
    const isToldBySpecs = specs.some(({ failure }) => failure !== null)
    if (status !== 'failed' || isToldBySpecs) return specs
    return [...specs, { file, name: 'the whole file', ms: 0, failure: firstLine(message) }]
  })
}

/** Returns the times, slowest first. */
export function timesOf(runs: readonly SpecRun[]): readonly SpecTimes[] {
  return [...Map.groupBy(runs, ({ file, name }) => `${file}\n${name}`).values()]
    .flatMap((same): SpecTimes[] => {
      const [first] = same
      if (first === undefined) return []
      const sorted = same.map(({ ms }) => ms).toSorted((a, b) => a - b)
      return [
        {
          file: first.file,
          name: first.name,
          median: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
          longest: sorted.at(-1) ?? 0,
          runs: same.length,
          failures: same.flatMap(({ failure }) => (failure === null ? [] : [failure])),
        },
      ]
    })
    .toSorted((a, b) => b.longest - a.longest)
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(8)

export const slowestText = (times: readonly SpecTimes[], most: number): string =>
  [
    ' longest   median  spec',
    ...times
      .slice(0, most)
      .map(({ file, name, median, longest }) => `${seconds(longest)} ${seconds(median)}  ${name} (${file})`),
  ].join('\n')

/** Returns '' if nothing failed. */
export const failedText = (times: readonly SpecTimes[]): string =>
  times
    .filter(({ failures }) => failures.length > 0)
    .map(
      ({ file, name, runs, failures }) =>
        `✗ ${name} (${file}): failed in ${failures.length} of ${runs}\n${[...new Set(failures)].map((why) => `    ${why}`).join('\n')}`,
    )
    .join('\n')

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line === '' ? 'no reason given' : line
}
