/**
 * Previews what a preset does to the user's file before any job is started: first the visible part, then the whole file, in
 * processes sandboxed like the thumbnail worker. The newest request wins: it cancels older work, and nothing is queued. See
 * docs/decisions/preview.md.
 */
import { rm, stat } from 'node:fs/promises'
import type { MadeVideo, Recipe, ShownPixels } from '../../media/protocol.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import type { ComparisonRequest } from '../../shared/ipc/arguments.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import {
  OVERTAKEN,
  type PreviewComparison,
  type PreviewFailed,
  type PreviewOvertaken,
  type PreviewPart,
  type PreviewPixels,
  type PreviewQuality,
  type PreviewRequest,
  type PreviewWhole,
  UNKNOWN_FAILURE,
} from '../../shared/model/preview.ts'
import { ImageRecipe, Preset, type ResultRules, type VideoRecipe } from '../../shared/preset/preset.ts'
import type { EncodedImage } from '../../shared/thumbnail-url.ts'
import type { Processed, Trial, Trials } from '../estimate/estimate.ts'
import { createViewer, type Viewer } from './viewer.ts'

export type Previews = ReturnType<typeof createPreviews>

/**
 * Maximum number of images: before and after for the part and for the whole, plus a pair that the page may still be drawing. A comparison
 * of qualities shows three results and one original.
 */
const MAX_IMAGES = 6
/** Budget in bytes for all images, enough for three results of 24 megapixels and their original. Only the newest pair may exceed it. */
const MAX_BYTES = 288 * 1024 ** 2

export function createPreviews(options: {
  readonly startViewer: () => WorkerProcess
  readonly trials: Trials
  /** Whether jobs are being processed, which take priority. */
  readonly isWorking: () => boolean
}) {
  const { startViewer, trials, isWorking } = options
  const viewer = createViewer(startViewer, isWorking)
  const videos = createVideos(viewer, trials)
  const images = createImageStore()
  /** The original of the photo that the viewer has shown as a whole. */
  let measurable: string | undefined
  let newest = new AbortController()

  /** Starts a new request and aborts the previous one. */
  function begin(): AbortSignal {
    newest.abort()
    newest = new AbortController()
    // Free memory before a larger pair is added.
    images.dropOverBudget()
    return newest.signal
  }

  async function unlessOvertaken<Preview>(
    create: (signal: AbortSignal) => Promise<Preview>,
  ): Promise<Preview | PreviewFailed | PreviewOvertaken> {
    const signal = begin()
    const preview = await create(signal).catch(() => UNKNOWN_FAILURE)
    return signal.aborted ? OVERTAKEN : preview
  }

  const named = ({ before, after, ...rest }: ShownPixels): PreviewPixels => ({
    ...rest,
    before: images.keep(before),
    after: images.keep(after),
  })

  async function partOf(
    { path, identity, view }: PreviewRequest & Identified,
    recipe: ImageRecipe,
    signal: AbortSignal,
  ) {
    const shown = await viewer.show('part', { path, identity, recipe, view })
    if (signal.aborted) return OVERTAKEN
    if (shown.kind !== 'shown') return shown
    return { kind: 'part', pixels: named(shown.result.pixels), middle: shown.result.middle } as const
  }

  /** Processes the photo as a job would. If a job would keep the original, also returns the size of the discarded result. */
  async function processWhole(
    original: Original,
    recipe: Recipe,
    neverLarger: ResultRules['neverLarger'],
    signal: AbortSignal,
  ): Promise<ProcessedWhole | PreviewFailed> {
    const made = await trials.process({ ...original, recipe, neverLarger: false }, signal)
    if (made.kind === 'failed') return made
    const bytes = await sizeOf(made.file.temporaryPath)
    if (neverLarger === false || bytes < (await sizeOf(original.path)))
      return { ...made, bytes, refused: null }
    await rm(made.file.temporaryPath, { force: true })
    const kept = await trials.process({ ...original, recipe, neverLarger }, signal)
    if (kept.kind === 'failed') return kept
    const isKept = kept.file.notes.includes('original-kept')
    return { ...kept, bytes: await sizeOf(kept.file.temporaryPath), refused: isKept ? bytes : null }
  }

  async function showWhole(
    original: Original,
    recipe: ImageRecipe,
    made: ProcessedWhole,
  ): Promise<PreviewWhole> {
    const { file, bytes, refused, milliseconds } = made
    const { temporaryPath: result, losses, notes } = file
    try {
      const shown = await viewer.show('whole', { ...original, recipe, result, losses, notes })
      if (shown.kind !== 'shown') return shown
      measurable = original.path
      const originalBytes = await sizeOf(original.path)
      const pixels = named(shown.result)
      return { kind: 'whole', pixels, bytes, refused, originalBytes, milliseconds, notes }
    } finally {
      await rm(result, { force: true })
    }
  }

  /** Stops all processing and drops all images. Called when the preview is no longer visible. */
  function stop(): void {
    begin()
    viewer.end()
    trials.end()
    images.clear()
  }

  return {
    /** @param identity of the checked file; absent to accept the file that is there now */
    part: (request: PreviewRequest, identity?: FileIdentity): Promise<PreviewPart> =>
      unlessOvertaken<PreviewPart>(async (signal) => {
        const { recipe, neverLarger } = parseRequest(request)
        if (recipe === undefined) return UNKNOWN_FAILURE
        if (recipe.kind === 'video') return videos.sample({ ...request, identity }, recipe.video, neverLarger)
        return partOf({ ...request, identity }, recipe.image, signal)
      }),
    /** @param identity as in `part` */
    whole: (request: PreviewRequest, identity?: FileIdentity): Promise<PreviewWhole> =>
      unlessOvertaken<PreviewWhole>(async (signal) => {
        const original = { path: request.path, identity }
        const { recipe, neverLarger } = parseRequest(request)
        if (recipe === undefined) return UNKNOWN_FAILURE
        if (recipe.kind === 'video') return videos.estimate(original, recipe.video, neverLarger, signal)
        const made = await processWhole(original, recipe, neverLarger, signal)
        return made.kind === 'failed' ? made : showWhole(original, recipe.image, made)
      }),
    /** Measures the photo that `whole` has just shown. This takes longer than showing it. */
    quality: (): Promise<PreviewQuality> =>
      unlessOvertaken<PreviewQuality>(async () => {
        if (measurable === undefined) return { kind: 'measured', quality: null }
        const shown = await viewer.show('quality', { path: measurable })
        return shown.kind === 'shown' ? { kind: 'measured', quality: shown.result } : shown
      }),
    /**
     * Compares an original with the result of a job. Both must be known files.
     * @param identities as in `part`, of the original and of the result
     */
    compare: (
      request: ComparisonRequest,
      identities: readonly FileIdentity[] = [],
    ): Promise<PreviewComparison> =>
      unlessOvertaken<PreviewComparison>(() =>
        resultKindOf(request.result) === 'video'
          ? videos.compare(request, identities)
          : comparePhotos(viewer, named, request, identities),
      ),
    /**
     * Returns an image while it is cached.
     * @param key as in `PreviewPixels`
     */
    pixels: (key: string): EncodedImage | undefined => images.find(key),
    stop,
    close(): void {
      stop()
      trials.close()
    },
  }
}

async function comparePhotos(
  viewer: Viewer,
  named: (pixels: ShownPixels) => PreviewPixels,
  { original: path, result }: ComparisonRequest,
  [identity, resultIdentity]: readonly FileIdentity[],
): Promise<PreviewComparison> {
  const recipe = ImageRecipe.parse({})
  const shown = await viewer.show('whole', { path, identity, result, resultIdentity, recipe })
  if (shown.kind !== 'shown') return shown
  return {
    kind: 'whole',
    pixels: named(shown.result),
    bytes: await sizeOf(result),
    refused: null,
    originalBytes: await sizeOf(path),
    milliseconds: 0,
    notes: [],
  }
}

type Identified = { readonly identity: FileIdentity | undefined }
type Original = Identified & { readonly path: string }

type ProcessedWhole = Processed & {
  readonly bytes: number
  /** Size in bytes of a result that was discarded because it isn't smaller than the original; null if there is none. */
  readonly refused: number | null
}

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

function parseRequest({ preset, part }: PreviewRequest): {
  readonly recipe: Recipe | undefined
  readonly neverLarger: ResultRules['neverLarger']
} {
  const { data } = Preset.safeParse(preset)
  const neverLarger = data?.results.neverLarger ?? false
  if (part === 'image') return { recipe: data?.image && { kind: 'image', image: data.image }, neverLarger }
  return { recipe: data?.video && { kind: 'video', video: data.video }, neverLarger }
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0

function createImageStore() {
  const kept = new Map<string, EncodedImage>()
  let total = 0
  let next = 1

  /**
   * Drops the oldest images.
   * @param spared number of newest images to keep regardless of size
   */
  function dropOverBudget(spared = 0): void {
    for (const [oldest, { bytes }] of kept) {
      const fits = kept.size <= MAX_IMAGES && total <= MAX_BYTES
      if (fits || kept.size <= spared) return
      kept.delete(oldest)
      total -= bytes.length
    }
  }

  return {
    /** Keeps the same image only once, because results of different qualities have the same original. */
    keep(bytes: Uint8Array<ArrayBuffer>): string {
      const same = [...kept].find(([, image]) => isSame(image.bytes, bytes))
      const [key, image] = same ?? [String(next++), { type: 'image/png', bytes } as const]
      // Insert it again, because the oldest images are dropped first.
      if (kept.delete(key)) total -= image.bytes.length
      kept.set(key, image)
      total += image.bytes.length
      dropOverBudget(2)
      return key
    },
    dropOverBudget: () => dropOverBudget(),
    clear(): void {
      kept.clear()
      total = 0
    },
    find: (key: string) => kept.get(key),
  }
}

/** Previews videos: a few seconds of the result, and an estimate of its full size. */
function createVideos(viewer: Viewer, trials: Pick<Trials, 'estimate'>) {
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
