/** One preset document in its file: read and checked, or named with what is wrong in it. */
import { readFile } from 'node:fs/promises'
import { Preset } from '../../shared/preset/preset.ts'
import { problemsOf, readPreset, type FieldProblem } from '../../shared/preset/read-preset.ts'

export type PresetProblem = FieldProblem & {
  /** The document's file name. */
  readonly file: string
}

export type PresetReading =
  | { readonly preset: Preset; readonly problems?: never }
  | { readonly preset?: never; readonly problems: readonly PresetProblem[] }

export async function readPresetFile(filePath: string, file: string): Promise<PresetReading> {
  let text: string
  try {
    text = await readFile(filePath, 'utf8')
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { problems: [{ file, field: '', message: `can't be read: ${words}` }] }
  }
  const reading = readPreset(text)
  return reading.problems === undefined
    ? reading
    : { problems: reading.problems.map((problem) => ({ file, ...problem })) }
}

/** @throws Error naming the first field that is wrong */
export function checkPreset(preset: unknown): Preset {
  const parsed = Preset.safeParse(preset)
  if (parsed.success) return parsed.data
  const [first] = problemsOf(parsed.error)
  throw new Error(`The preset can't be saved: ${first?.field || 'it'}: ${first?.message ?? 'is not valid'}`)
}
