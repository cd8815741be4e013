/** Says in English what results lost, as users read it. */
import type { Loss } from '../../src/shared/loss/loss.ts'
import { createTranslation } from '../../src/node/translation.ts'
import { describeLoss } from '../../src/shared/i18n/losses.ts'
import { type PhotoRecipe, processPhoto } from './image/process-photo.ts'

const t = createTranslation('en-US')

export const sentencesOf = (losses: readonly Loss[]): readonly string[] =>
  losses.map((one) => describeLoss(one, t))

export const codesOf = (losses: readonly Loss[]) => losses.map(({ code }) => code)

/** Processes a photo. */
export const lostIn = async (path: string, recipe: PhotoRecipe = {}): Promise<readonly string[]> =>
  sentencesOf((await processPhoto(path, recipe)).losses)
