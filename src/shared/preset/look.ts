/** Visual quality that is comparable across formats: four named levels and a numeric scale. */

/** The quality of photos if a preset specifies none. */
export const DEFAULT_QUALITY = 82

/** SSIMULACRA 2 scores for photos. At 90, switching between original and result shows no visible difference. */
export const LOOK_NUMBERS = { identical: 90, high: 80, medium: 65, low: 45 } as const

export type NamedLook = keyof typeof LOOK_NUMBERS
/** A level, or a score from 30 to 100. */
export type Look = NamedLook | number

export const isNamedLook = (value: unknown): value is NamedLook =>
  typeof value === 'string' && Object.hasOwn(LOOK_NUMBERS, value)

export const lookNumber = (look: Look): number => (typeof look === 'number' ? look : LOOK_NUMBERS[look])
