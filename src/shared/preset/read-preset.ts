/** One preset document: read and checked, or named with what is wrong in it. Pure; where the text comes from is not known here. */
import type * as z from 'zod'
import { Preset } from './preset.ts'

export type FieldProblem = {
  /** Where in the document, such as `image.quality`; '' for the document as a whole. */
  readonly field: string
  readonly message: string
}

export type ReadPreset =
  | { readonly preset: Preset; readonly problems?: never }
  | { readonly preset?: never; readonly problems: readonly FieldProblem[] }

/** Far more than any preset needs. */
export const MAX_PRESET_BYTES = 64 * 1024

/** @param text JSON; a byte order mark, which editors on Windows like to put in front, is passed over */
export function readPreset(text: string): ReadPreset {
  if (new TextEncoder().encode(text).length > MAX_PRESET_BYTES) {
    return { problems: [{ field: '', message: 'is too large for a preset' }] }
  }
  let document: unknown
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { problems: [{ field: '', message: `is not JSON: ${words}` }] }
  }
  const parsed = Preset.safeParse(document)
  return parsed.success ? { preset: parsed.data } : { problems: problemsOf(parsed.error) }
}

/** Every issue with its field; each unknown field by itself. */
export function problemsOf(error: z.ZodError): FieldProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: 'is not a field that presets have',
        }))
      : [{ field: issue.path.join('.'), message: issue.message }],
  )
}
