/** The goal of a preset: one of several mutually exclusive ways to specify quality or size. */
import { losesNothing } from './photo-formats.ts'
import { isNamedLook, LOOK_NUMBERS } from './look.ts'
import type { PresetPart, ReadField } from './read-field.ts'

export type GoalKind = 'look' | 'size' | 'fixed' | 'limits'

export type FieldChange = { readonly path: string; readonly value: unknown }

const LOOK_AT_FIRST = 75
const BYTES_AT_FIRST: Readonly<Record<PresetPart, number>> = { image: 500_000, video: 25_000_000 }
/** The values that the encoders use if a preset specifies none: the quality of photos, and the CRF of H.264. */
export const QUALITY_AT_FIRST = 82
export const CRF_AT_FIRST = 23

export const visualQualityOf = (value: unknown): number => {
  if (typeof value === 'number') return value
  return isNamedLook(value) ? LOOK_NUMBERS[value] : LOOK_AT_FIRST
}

/** @param stands reads the document without defaults */
export function goalOf(part: PresetPart, stands: ReadField): GoalKind {
  if (stands(`${part}.look`) !== undefined) return 'look'
  if (stands(`${part}.maxBytes`) !== undefined) return 'size'
  if (part === 'image' || ['video.crf', 'video.bitrate'].some((path) => stands(path) !== undefined))
    return 'fixed'
  return 'limits'
}

export const goalsFor = (part: PresetPart): readonly GoalKind[] =>
  part === 'image' ? ['look', 'size', 'fixed'] : ['look', 'size', 'fixed', 'limits']

/** Returns the changes that select another goal: they set its field and remove the fields that conflict with it. */
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

export const chooseLook = (part: PresetPart, look: number): readonly FieldChange[] =>
  chooseGoal(part, 'look').map(({ path, value }) => ({ path, value: path === `${part}.look` ? look : value }))

export type NoGoal = 'losslessFormat' | 'lossless' | 'untouched' | 'audioOnly' | 'gif'

const VIDEO_WITHOUT_GOAL: Readonly<Record<string, NoGoal>> = {
  copy: 'untouched',
  none: 'audioOnly',
  gif: 'gif',
}

/**
 * Returns why a preset can't have a goal: the output is lossless, no video track is encoded, or the format has no quality setting. null if
 * it can.
 */
export function noGoalOf(part: PresetPart, read: ReadField): NoGoal | null {
  if (part === 'video') return VIDEO_WITHOUT_GOAL[String(read('video.codec'))] ?? null
  if (losesNothing(read('image.format'))) return 'losslessFormat'
  return read('image.lossless') === true ? 'lossless' : null
}
