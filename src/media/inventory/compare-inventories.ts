/** Finds what a result lost: each difference between two inventories that the recipe doesn't ask for. */
import type { Loss } from '../../shared/loss/loss.ts'
import type { AskedFor, Comparison } from './comparison.ts'
import type { Inventory } from './inventory.ts'
import { PHOTO_COMPARISONS } from './photo-comparisons.ts'
import { VIDEO_COMPARISONS } from './video-comparisons.ts'

export function compareInventories(before: Inventory, after: Inventory, asked: AskedFor): readonly Loss[] {
  const { recipe, isVaried } = asked
  if (before.kind === 'image' && after.kind === 'image' && recipe.kind === 'image')
    return differences(PHOTO_COMPARISONS, before, after, { recipe: recipe.image, isVaried })
  if (before.kind === 'video' && after.kind === 'video' && recipe.kind === 'video')
    return differences(VIDEO_COMPARISONS, before, after, { recipe: recipe.video, isVaried })
  return []
}

const differences = <I, R>(
  comparisons: readonly Comparison<I, R>[],
  before: I,
  after: I,
  asked: AskedFor<R>,
): readonly Loss[] =>
  comparisons
    .filter((one) => one.isAskedFor?.(asked, before) !== true)
    .flatMap((one) => one.find(before, after, asked))

/**
 * Merges the losses that the conversion noticed with those that the comparison found. The conversion knows why a track is missing, so
 * its loss counts if both name the same one.
 */
export function mergeLosses(noticed: readonly Loss[], found: readonly Loss[]): readonly Loss[] {
  const known = new Set(noticed.map(identityOf))
  return [...noticed, ...found.filter((loss) => !known.has(identityOf(loss)))]
}

const identityOf = ({ code, values }: Loss): string => ('track' in values ? `${code} ${values.track}` : code)
