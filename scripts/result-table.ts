/** What came of each file: decoded, held against what its preset promises, and put into a table. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { look, type Look } from './look-at-media.ts'

export type Promised = {
  readonly formats: readonly string[]
  /** The longest sides in pixels, as shown. */
  readonly within: readonly [width: number, height: number]
}

export type Made = {
  readonly input: string
  readonly output: string | undefined
  readonly promised: Promised
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

function broken({ formats, within: [width, height] }: Promised, before: Look, after: Look): string {
  if (!formats.includes(after.format)) return `it is ${after.format}, not ${formats.join(' or ')}`
  if (after.width > width || after.height > height) return `it is larger than ${width} × ${height}`
  if (after.frames < 1) return 'it has no picture'
  if (before.seconds !== null && Math.abs((after.seconds ?? 0) - before.seconds) > 0.5)
    return 'it has another length'
  return ''
}

export function printTable(results: readonly Checked[], preset: string): void {
  const rows = results.map(({ input, before, beforeBytes, after, wrong, output }) => [
    basename(input),
    preset,
    `${before.width} × ${before.height}`,
    inKib(beforeBytes),
    after === undefined ? '–' : `${after.look.width} × ${after.look.height}`,
    after === undefined ? '–' : inKib(after.bytes),
    wrong === '' ? 'ok' : wrong,
    output ?? '',
  ])
  const table = [['input', 'preset', 'before', '', 'after', '', 'check', 'output'], ...rows]
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

const inKib = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`
