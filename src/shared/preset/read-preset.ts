/** Parses and validates one preset document. */
import type * as z from 'zod'
import { parseJson } from '../parse-json.ts'
import { Preset } from './preset.ts'

export type FieldProblem = {
  /** Path in the document, such as `image.quality`; '' for the whole document. */
  readonly field: string
  readonly message: string
}

export type ReadPreset =
  | { readonly preset: Preset; readonly problems?: never }
  | { readonly preset?: never; readonly problems: readonly FieldProblem[] }

/** Maximum size of a preset, in bytes. Far more than any preset needs. */
export const MAX_PRESET_BYTES = 64 * 1024

export function readPreset(text: string): ReadPreset {
  if (new TextEncoder().encode(text).length > MAX_PRESET_BYTES) {
    return { problems: [{ field: '', message: 'is too large for a preset' }] }
  }
  let document: unknown
  try {
    document = parseJson(text)
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return { problems: [{ field: '', message: `isn't valid JSON: ${words}` }] }
  }
  const parsed = Preset.safeParse(document)
  return parsed.success ? { preset: parsed.data } : { problems: problemsOf(parsed.error) }
}

/** Returns every issue with its field. Lists each unknown field separately. */
export function problemsOf(error: z.ZodError): FieldProblem[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          field: [...issue.path, key].join('.'),
          message: "isn't a preset field",
        }))
      : [{ field: issue.path.join('.'), message: issue.message }],
  )
}
