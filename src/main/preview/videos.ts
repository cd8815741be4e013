/** Previews videos: a few seconds of the result, and an estimate of its full size. */
import { stat } from 'node:fs/promises'
import type { MadeVideo } from '../../media/protocol.ts'
import type { ComparisonRequest } from '../../shared/ipc/arguments.ts'
import type {
  PreviewComparison,
  PreviewPart,
  PreviewRequest,
  PreviewWhole,
} from '../../shared/model/preview.ts'
import type { ResultRules, VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import type { Trial, Trials } from '../estimate/estimate.ts'
import type { Viewer } from './viewer.ts'

export function createVideos(viewer: Viewer, trials: Pick<Trials, 'estimate'>) {
  /** Cached because resolving the recipe's target takes a while. */
  let last: { readonly key: string; readonly made: Pick<MadeVideo, 'recipe' | 'takesOriginal'> } | undefined

  return {
    async sample(
      {
        path,
        identity,
        start,
      }: Pick<PreviewRequest, 'path' | 'start'> & { readonly identity: FileIdentity | undefined },
      recipe: VideoRecipe,
      neverLarger: NeverLarger,
    ): Promise<PreviewPart> {
      const shown = await viewer.show('sample', { path, identity, recipe, neverLarger, start })
      if (shown.kind !== 'shown') return shown
      last = { key: keyOf(path, recipe, neverLarger), made: shown.result }
      return { kind: 'video', video: shown.result.video, quality: shown.result.quality }
    },
    async compare(
      { original: path, result, start }: ComparisonRequest,
      [identity, resultIdentity]: readonly FileIdentity[],
    ): Promise<PreviewComparison> {
      const shown = await viewer.show('compare', { path, identity, result, resultIdentity, start })
      if (shown.kind !== 'shown') return shown
      return {
        kind: 'video',
        video: shown.result,
        bytes: (await stat(result)).size,
        originalBytes: (await stat(path)).size,
      }
    },
    async estimate(
      { path, identity }: Pick<Trial, 'path' | 'identity'>,
      recipe: VideoRecipe,
      neverLarger: NeverLarger,
      signal: AbortSignal,
    ): Promise<PreviewWhole> {
      const made = last?.key === keyOf(path, recipe, neverLarger) ? last.made : undefined
      // A requested maximum size is a better estimate than the size after the first pass.
      const video = recipe.maxBytes === undefined ? (made?.recipe ?? recipe) : recipe
      // The estimate is shown even if the original will be kept.
      const trial = { path, identity, recipe: { kind: 'video', video }, neverLarger: false } as const
      const estimated = await trials.estimate(trial, signal)
      if (estimated.kind === 'failed') return estimated
      const { bytes, milliseconds } = estimated.estimate
      const originalBytes = (await stat(path)).size
      const isKept = made?.takesOriginal === true && bytes >= originalBytes
      return {
        kind: 'estimated',
        bytes: Math.round(isKept ? originalBytes : bytes),
        refused: isKept ? Math.round(bytes) : null,
        originalBytes,
        milliseconds,
      }
    },
  }
}

type NeverLarger = ResultRules['neverLarger']

const keyOf = (...made: readonly [path: string, recipe: VideoRecipe, neverLarger: NeverLarger]): string =>
  JSON.stringify(made)
