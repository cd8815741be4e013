/** What came of each file: decoded, held against what its preset promises, and put into a table. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { look, type Look } from './look-at-media.ts'

export type Promised = {
  readonly format: string
  /** Whether it is small enough. */
  readonly fits: (made: Pick<Look, 'width' | 'height'>) => boolean
}

export type Made = {
  readonly input: string
  readonly output: string | undefined
  readonly promised: Promised
  /** ms that the service worked on it, where that is known. */
  readonly took?: number | undefined
}

export type Checked = Made & {
  readonly before: Look
  readonly beforeBytes: number
  readonly after: { readonly look: Look; readonly bytes: number } | undefined
  /** Why it is not what was promised; '' if it is. */
  readonly wrong: string
}

export async function check(made: Made): Promise<Checked> {
  const { input, output, promised } = made
  const common = { ...made, before: await look(input), beforeBytes: (await stat(input)).size }
  if (output === undefined) return { ...common, after: undefined, wrong: 'there is no result' }
  try {
    const after = { look: await look(output), bytes: (await stat(output)).size }
    return { ...common, after, wrong: broken(promised, common.before, after.look) }
  } catch (error) {
    return { ...common, after: undefined, wrong: `it can't be decoded: ${String(error)}` }
  }
}

function broken(promised: Promised, before: Look, after: Look): string {
  if (after.format !== promised.format) return `it is ${after.format}, not ${promised.format}`
  if (!promised.fits(after)) return `it is too large: ${sizeOf(after)}`
  if (after.width * after.height > before.width * before.height) return 'it was enlarged'
  if (after.frames < 1) return 'it has no picture'
  if (before.seconds !== null && Math.abs((after.seconds ?? 0) - before.seconds) > 0.5)
    return 'it has another length'
  // A video lying on its side is turned upright; a picture is measured upright from the start.
  const isCut = before.seconds === null && Math.abs(aspectOf(after) / aspectOf(before) - 1) > 0.02
  return isCut ? 'it has another shape' : ''
}

const aspectOf = ({ width, height }: Look): number => width / height

/** Says what came of all, and of each in a row of its own. @returns whether all is as promised */
export function printResults(results: readonly Checked[], preset: string): boolean {
  printTable(results, preset)
  const wrong = results.filter((result) => result.wrong !== '').length
  console.log(
    wrong === 0
      ? `\nAll ${results.length} results were decoded and are what the preset promises.`
      : `\n${wrong} of ${results.length} results are not what the preset promises.`,
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
    after === undefined ? '–' : sizeOf(after.look),
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

const sizeOf = ({ width, height }: Look): string => `${width} × ${height}`
const inBytes = (bytes: number): string => `${bytes.toLocaleString('en')} bytes`
