/** Previews of videos: a few seconds of the result, and how large all of it will be. */
import type { MadeFilm } from '../../media/protocol.ts'
import type { ComparisonWish } from '../../shared/ipc/arguments.ts'
import type { PreviewComparison, PreviewPart, PreviewWhole, PreviewWish } from '../../shared/model/preview.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { type Maker, sizeOf, taskFor } from './maker.ts'
import { notMade, notShown } from './no-preview.ts'
import type { Viewer } from './viewer.ts'

export interface Films {
  sample(wish: Pick<PreviewWish, 'path' | 'start'>, recipe: VideoRecipe): Promise<PreviewPart>
  compare(wish: ComparisonWish): Promise<PreviewComparison>
  /** @param keepsOriginals whether no result may be larger than its original */
  reckon(path: string, recipe: VideoRecipe, keepsOriginals: boolean): Promise<PreviewWhole>
}

/** @param folder the maker's */
export function createFilms(viewer: Viewer, maker: Maker, folder: string): Films {
  /** What the goal of a recipe comes to takes a while to find out. */
  let last: { readonly key: string; readonly made: Pick<MadeFilm, 'recipe' | 'takesOriginal'> } | undefined

  return {
    async sample({ path, start }, recipe) {
      const shown = await viewer.ask({ kind: 'film', path, recipe, start })
      if (shown.kind !== 'film') return notShown(shown)
      last = { key: keyOf(path, recipe), made: shown }
      return { kind: 'film', film: shown.film }
    },
    async compare({ original: path, result, start }) {
      const shown = await viewer.ask({ kind: 'films', path, result, start })
      if (shown.kind !== 'films') return notShown(shown)
      return {
        kind: 'film',
        film: shown.film,
        bytes: await sizeOf(result),
        originalBytes: await sizeOf(path),
      }
    },
    async reckon(path, recipe, keepsOriginals) {
      const made = last?.key === keyOf(path, recipe) ? last.made : undefined
      // A size that is wished for is a better guess than what its first run would come to.
      const video = recipe.maxBytes === undefined ? (made?.recipe ?? recipe) : recipe
      // What a result would have come to is said beside the original that stays.
      const task = taskFor({ path, recipe: { kind: 'video', video }, neverLarger: false, folder })
      const reckoned = await maker.reckon(task)
      if (reckoned.kind !== 'reckoned') return notMade(reckoned)
      const { bytes, milliseconds } = reckoned.forecast
      const originalBytes = await sizeOf(path)
      const isKept = keepsOriginals && made?.takesOriginal === true && bytes >= originalBytes
      return {
        kind: 'reckoned',
        bytes: Math.round(isKept ? originalBytes : bytes),
        refused: isKept ? Math.round(bytes) : null,
        originalBytes,
        milliseconds,
      }
    },
  }
}

const keyOf = (path: string, recipe: VideoRecipe): string => JSON.stringify([path, recipe])
