/** What the encoder aims at: one of several ways to say how good or how small, which exclude each other. */
import { isNamedLook, LOOK_NUMBERS } from './look.ts'
import type { PresetPart, ReadField } from './read-field.ts'

export type GoalKind = 'look' | 'size' | 'fixed' | 'limits'

export type FieldChange = { readonly path: string; readonly value: unknown }

const LOOK_AT_FIRST = 75
const BYTES_AT_FIRST: Readonly<Record<PresetPart, number>> = { image: 500_000, video: 25_000_000 }
/** What an encoder is given where a preset says nothing of it, as in the schema's documentation. */
export const QUALITY_AT_FIRST = 82
export const CRF_AT_FIRST = 23

export const lookOf = (value: unknown): number => {
  if (typeof value === 'number') return value
  return isNamedLook(value) ? LOOK_NUMBERS[value] : LOOK_AT_FIRST
}

const fixedFields = (part: PresetPart): readonly string[] =>
  part === 'image' ? ['image.quality'] : ['video.crf', 'video.bitrate']

/** @param stands reads what is written in the document, without defaults */
export function goalOf(part: PresetPart, stands: ReadField): GoalKind {
  if (stands(`${part}.look`) !== undefined) return 'look'
  if (stands(`${part}.maxBytes`) !== undefined) return 'size'
  if (part === 'image' || fixedFields(part).some((path) => stands(path) !== undefined)) return 'fixed'
  return 'limits'
}

/** The goals that the schema has fields for. */
export function goalsFor(part: PresetPart, has: (path: string) => boolean): readonly GoalKind[] {
  return [
    ...(has(`${part}.look`) ? (['look'] as const) : []),
    ...(has(`${part}.maxBytes`) ? (['size'] as const) : []),
    'fixed',
    ...(part === 'video' ? (['limits'] as const) : []),
  ]
}

/** Another goal: its own field comes, those that exclude it go. */
export function chooseGoal(part: PresetPart, goal: GoalKind): readonly FieldChange[] {
  const wanted: Readonly<Record<string, unknown>> = {
    [`${part}.look`]: goal === 'look' ? LOOK_AT_FIRST : undefined,
    [`${part}.maxBytes`]: goal === 'size' ? BYTES_AT_FIRST[part] : undefined,
    [`${part}.mayShrink`]: undefined,
    'image.quality': undefined,
    'video.crf': goal === 'fixed' ? CRF_AT_FIRST : undefined,
    'video.bitrate': undefined,
  }
  return Object.entries(wanted)
    .filter(([path]) => path.startsWith(`${part}.`))
    .map(([path, value]) => ({ path, value }))
}

export type NoGoal = 'losslessFormat' | 'lossless' | 'untouched'

/** Why there is nothing to aim at: nothing is lost, or nothing is encoded. */
export function noGoalOf(part: PresetPart, read: ReadField): NoGoal | null {
  if (part === 'video') return read('video.codec') === 'copy' ? 'untouched' : null
  if (['png', 'tiff'].includes(String(read('image.format')))) return 'losslessFormat'
  return read('image.lossless') === true ? 'lossless' : null
}
