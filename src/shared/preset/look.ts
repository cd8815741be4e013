/** How good a result looks, the same in every format: four named levels on one measure with numbers. */

/** Of photos, where nothing else says how good one has to be. */
export const DEFAULT_QUALITY = 82

/** Of photos, scores of SSIMULACRA 2: at 90, flicking between original and result shows no difference. */
export const LOOK_NUMBERS = { identical: 90, high: 80, medium: 65, low: 45 } as const

export type NamedLook = keyof typeof LOOK_NUMBERS
/** A number is from 30 to 100. */
export type Look = NamedLook | number

export const isNamedLook = (value: unknown): value is NamedLook =>
  typeof value === 'string' && Object.hasOwn(LOOK_NUMBERS, value)

export const lookNumber = (look: Look): number => (typeof look === 'number' ? look : LOOK_NUMBERS[look])
