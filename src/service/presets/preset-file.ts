/** One preset document: read and checked, or named with what is wrong in it. */
import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import { Preset } from './preset.ts'

export type PresetProblem = {
  /** The document's file name. */
  readonly file: string
  /** Where in the document, such as `image.quality`; '' for the document as a whole. */
  readonly field: string
  readonly message: string
}

export type ReadPreset =
  | { readonly preset: Preset; readonly problems?: never }
  | { readonly preset?: never; readonly problems: readonly PresetProblem[] }

/** Far more than any preset needs, in bytes. */
const MAX_DOCUMENT_BYTES = 64 * 1024

export async function readPresetFile(filePath: string, file: string): Promise<ReadPreset> {
  let document: unknown
  try {
    const bytes = await readFile(filePath)
    if (bytes.length > MAX_DOCUMENT_BYTES) return onlyProblem(file, 'is too large for a preset')
    // Editors on Windows like to put a byte order mark in front.
    document = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return onlyProblem(
      file,
      error instanceof SyntaxError ? `is not JSON: ${words}` : `can't be read: ${words}`,
    )
  }
  const parsed = Preset.safeParse(document)
  return parsed.success ? { preset: parsed.data } : { problems: problemsOf(parsed.error, file) }
}

/** @throws Error naming the first field that is wrong */
export function checkPreset(preset: unknown): Preset {
  const parsed = Preset.safeParse(preset)
  if (parsed.success) return parsed.data
  const [first] = problemsOf(parsed.error, '')
  throw new Error(`The preset can't be saved: ${first?.field || 'it'}: ${first?.message ?? 'is not valid'}`)
}

function problemsOf(error: z.ZodError, file: string): PresetProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          file,
          field: [...issue.path, key].join('.'),
          message: 'is not a field that presets have',
        }))
      : [{ file, field: issue.path.join('.'), message: issue.message }],
  )
}

function onlyProblem(file: string, message: string): ReadPreset {
  return { problems: [{ file, field: '', message }] }
}
