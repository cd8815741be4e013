/** How good a result looks, the same in every format: four named levels on one measure with numbers. */
import * as z from 'zod'

export const LOOK_NUMBERS = { identical: 90, high: 80, medium: 65, low: 45 } as const

export const Look = z.union([z.enum(['identical', 'high', 'medium', 'low']), z.int().min(30).max(100)])
export type Look = z.infer<typeof Look>

export const lookNumber = (look: Look): number => (typeof look === 'number' ? look : LOOK_NUMBERS[look])
