import type { ImageRecipe } from '../../shared/preset/preset.ts'

/** A format that results can have. */
export type OutputFormat = Exclude<ImageRecipe['format'], 'same'>
