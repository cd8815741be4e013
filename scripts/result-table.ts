/** Decodes each result, compares it with what its preset promises, and prints a table. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { inspectMedia, type MediaFacts } from './inspect-media.ts'

export type Promised = {
  readonly format: string
  /** Returns whether the dimensions are within the preset's limits. */
  readonly fits: (made: Pick<MediaFacts, 'width' | 'height'>) => boolean
}

export type Made = {
  readonly input: string
  readonly output: string | undefined
  readonly promised: Promised
  /** The service's processing time in ms, if known. */
  readonly took?: number | undefined
}

export type Checked = Made & {
  readonly before: MediaFacts
  readonly beforeBytes: number
  readonly after: { readonly facts: MediaFacts; readonly bytes: number } | undefined
  /** Why the result isn't what the preset promises; '' if it is. */
  readonly wrong: string
}

export async function check(made: Made): Promise<Checked> {
  const { input, output, promised } = made
  const common = { ...made, before: await inspectMedia(input), beforeBytes: (await stat(input)).size }
  if (output === undefined) return { ...common, after: undefined, wrong: 'there is no result' }
  try {
    const after = { facts: await inspectMedia(output), bytes: (await stat(output)).size }
    return { ...common, after, wrong: broken(promised, common.before, after.facts) }
  } catch (error) {
    return { ...common, after: undefined, wrong: `it can't be decoded: ${String(error)}` }
  }
}

function broken(promised: Promised, before: MediaFacts, after: MediaFacts): string {
  if (after.format !== promised.format) return `it is ${after.format}, not ${promised.format}`
  if (!promised.fits(after)) return `it is too large: ${sizeOf(after)}`
  if (after.width * after.height > before.width * before.height) return 'it was enlarged'
  if (after.frames < 1) return 'it has no frames'
  if (before.seconds !== null && Math.abs((after.seconds ?? 0) - before.seconds) > 0.5)
    return 'its duration differs'
  // A video's dimensions may swap when it is made upright. An image's dimensions are already reported upright.
  const isCut = before.seconds === null && Math.abs(aspectOf(after) / aspectOf(before) - 1) > 0.02
  return isCut ? 'its aspect ratio differs' : ''
}

const aspectOf = ({ width, height }: MediaFacts): number => width / height

/**
 * Prints a row for each result and a summary.
 * @returns whether all results are as promised
 */
export function printResults(results: readonly Checked[], preset: string): boolean {
  printTable(results, preset)
  const wrong = results.filter((result) => result.wrong !== '').length
  console.log(
    wrong === 0
      ? `\nAll ${results.length} results decode and match the preset.`
      : `\n${wrong} of ${results.length} results don't match the preset.`,
  )
  return wrong === 0
}

function printTable(results: readonly Checked[], preset: string): void {
  const isTimed = results.some(({ took }) => took !== undefined)
  const rows = results.map(({ input, before, beforeBytes, after, took, wrong, output }) => [
    basename(input),
    preset,
    sizeOf(before),
    inBytes(beforeBytes),
    after === undefined ? '–' : sizeOf(after.facts),
    after === undefined ? '–' : inBytes(after.bytes),
    ...(isTimed ? [took === undefined ? '–' : `${(took / 1000).toFixed(2)} s`] : []),
    wrong === '' ? 'ok' : wrong,
    output ?? '',
  ])
  const timeColumn = isTimed ? ['time'] : []
  const table = [['input', 'preset', 'before', '', 'after', '', ...timeColumn, 'check', 'result'], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

const sizeOf = ({ width, height }: MediaFacts): string => `${width} × ${height}`
const inBytes = (bytes: number): string => `${bytes.toLocaleString('en')} bytes`
