/**
 * What a preset makes of a file of one's own, before anything is started: at first the part in view, then the whole, in
 * processes that are confined like those for thumbnails. The newest wish wins: whatever was being made for an older one is
 * stopped, and nothing waits in line. docs/decisions/preview.md
 */
import {
  type JobWorker,
  type PreviewWorker,
  startPreviewWorker,
  startTrialWorker,
} from '../../media/start-worker.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Recipe, ShownPixels } from '../../media/protocol.ts'
import type { Confinement } from '../../node/confinement.ts'
import type {
  PreviewComparison,
  PreviewOvertaken,
  PreviewPart,
  PreviewPixels,
  PreviewWhole,
  PreviewWish,
} from '../../shared/model/preview.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import type { ComparisonWish } from '../../shared/ipc/arguments.ts'
import { ImageRecipe, Preset } from '../../shared/preset/preset.ts'
import { createFilms } from './films.ts'
import { createMaker, type Made, type NotMade, sizeOf, taskFor } from './maker.ts'
import { notMade, notShown, OVERTAKEN, UNKNOWN_FAILURE } from './no-preview.ts'
import { createViewer } from './viewer.ts'

export type Picture = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export interface Previews {
  part(wish: PreviewWish): Promise<PreviewPart>
  whole(wish: PreviewWish): Promise<PreviewWhole>
  /** An original beside what a job has made of it. Both are known files. */
  compare(wish: ComparisonWish): Promise<PreviewComparison>
  /** @param key as in `PreviewPixels` */
  pixels(key: string): Picture | undefined
  /** Nobody looks any more. */
  stop(): void
  close(): void
}

export type PreviewsOptions = {
  readonly startViewer: () => PreviewWorker
  readonly startMaker: () => JobWorker
  /** Absolute, of the app's own: what is made lies there as long as it is looked at. Emptied at the start. */
  readonly folder: string
  readonly monotonic: () => number
  /** Whether jobs are worked on, which come first. */
  readonly isWorking: () => boolean
}

/** The part and the whole, each from both sides, and what the page may still be drawing. */
const PICTURES_KEPT = 6

export function createPreviews(options: PreviewsOptions): Previews {
  const { folder } = options
  const viewer = createViewer(options.startViewer, options.isWorking)
  const maker = createMaker(options.startMaker, options.monotonic)
  const films = createFilms(viewer, maker, folder)
  const pictures = createPictureStore()
  let newest = 0
  empty(folder)

  /** From now on, whatever was asked for before is overtaken. */
  function begin(): () => boolean {
    const turn = ++newest
    maker.stop()
    return () => turn === newest
  }

  const named = ({ before, after, ...rest }: ShownPixels): PreviewPixels => ({
    ...rest,
    before: pictures.keep(before),
    after: pictures.keep(after),
  })

  /** As a job would make it, and where that keeps the original, also how large the other would have been. */
  async function makeWhole(
    path: string,
    recipe: Recipe,
    keepsOriginals: boolean,
  ): Promise<MadeFile | NotMade> {
    const made = await maker.make(taskFor({ path, recipe, neverLarger: false, folder }))
    if (made.kind !== 'made') return made
    const bytes = await sizeOf(made.file.temporaryPath)
    if (!keepsOriginals || bytes < (await sizeOf(path))) return { ...made, bytes, refused: null }
    await rm(made.file.temporaryPath, { force: true })
    const kept = await maker.make(taskFor({ path, recipe, neverLarger: true, folder }))
    if (kept.kind !== 'made') return kept
    const isKept = kept.file.notes.includes('original-kept')
    return { ...kept, bytes: await sizeOf(kept.file.temporaryPath), refused: isKept ? bytes : null }
  }

  async function shownWhole(path: string, made: MadeFile, recipe: ImageRecipe): Promise<PreviewWhole> {
    const { file, bytes, refused, milliseconds } = made
    try {
      const shown = await viewer.ask({ kind: 'whole', path, recipe, result: file.temporaryPath })
      if (shown.kind !== 'whole') return notShown(shown)
      const originalBytes = await sizeOf(path)
      return {
        kind: 'whole',
        pixels: named(shown.pixels),
        bytes,
        refused,
        originalBytes,
        milliseconds,
        notes: file.notes,
      }
    } finally {
      await rm(file.temporaryPath, { force: true })
    }
  }

  return {
    async part(wish) {
      const isNewest = begin()
      const { recipe } = understood(wish)
      if (recipe?.kind === 'video') return ifStill(isNewest, films.sample(wish, recipe.video))
      if (recipe === undefined) return UNKNOWN_FAILURE
      const shown = await viewer.ask({ kind: 'part', path: wish.path, recipe: recipe.image, view: wish.view })
      if (!isNewest()) return OVERTAKEN
      if (shown.kind !== 'part') return notShown(shown)
      return { kind: 'part', pixels: named(shown.pixels), middle: shown.middle }
    },
    async whole(wish) {
      const isNewest = begin()
      const { recipe, keepsOriginals } = understood(wish)
      if (recipe === undefined) return UNKNOWN_FAILURE
      try {
        if (recipe.kind === 'video')
          return await ifStill(isNewest, films.reckon(wish.path, recipe.video, keepsOriginals))
        const made = await makeWhole(wish.path, recipe, keepsOriginals)
        if (made.kind !== 'made') return notMade(made)
        const shown = await shownWhole(wish.path, made, recipe.image)
        return isNewest() ? shown : OVERTAKEN
      } catch {
        return UNKNOWN_FAILURE
      }
    },
    async compare(wish) {
      const isNewest = begin()
      const { original: path, result } = wish
      if (resultKindOf(result) === 'video') return ifStill(isNewest, films.compare(wish))
      const shown = await viewer.ask({ kind: 'whole', path, result, recipe: ImageRecipe.parse({}) })
      if (!isNewest()) return OVERTAKEN
      if (shown.kind !== 'whole') return notShown(shown)
      return {
        kind: 'whole',
        pixels: named(shown.pixels),
        bytes: await sizeOf(result),
        refused: null,
        originalBytes: await sizeOf(path),
        milliseconds: 0,
        notes: [],
      }
    },
    pixels: (key) => pictures.find(key),
    stop() {
      begin()
      viewer.end()
    },
    close() {
      begin()
      viewer.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ifStill<Answer>(
  isNewest: () => boolean,
  answering: Promise<Answer>,
): Promise<Answer | PreviewOvertaken> {
  const answer = await answering
  return isNewest() ? answer : OVERTAKEN
}

type MadeFile = Extract<Made, { readonly kind: 'made' }> & {
  readonly bytes: number
  /** Bytes of the larger result in whose place the original is kept. */
  readonly refused: number | null
}
function understood({ preset, part }: PreviewWish): {
  readonly recipe: Recipe | undefined
  readonly keepsOriginals: boolean
} {
  const { data } = Preset.safeParse(preset)
  const keepsOriginals = data?.results.neverLarger === true
  if (part === 'image') return { recipe: data?.image && { kind: 'image', image: data.image }, keepsOriginals }
  return { recipe: data?.video && { kind: 'video', video: data.video }, keepsOriginals }
}

/** What an earlier run left behind when it did not end in order goes too. */
function empty(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

function createPictureStore() {
  const kept = new Map<string, Picture>()
  let next = 1
  return {
    keep(bytes: Uint8Array): string {
      const key = String(next++)
      kept.set(key, { type: 'image/png', bytes: new Uint8Array(bytes) })
      for (const oldest of kept.keys()) if (kept.size > PICTURES_KEPT) kept.delete(oldest)
      return key
    },
    find: (key: string) => kept.get(key),
  }
}

export type PreviewProcesses = {
  readonly viewerPath: string
  readonly makerPath: string
  readonly node: string
  readonly folder: string
  readonly confinement: Confinement | Promise<Confinement>
}

/** As child processes: the viewer may write nothing, the maker only into the folder. */
export function previewProcesses({
  viewerPath,
  makerPath,
  node,
  folder,
  confinement,
}: PreviewProcesses): Pick<PreviewsOptions, 'startViewer' | 'startMaker' | 'folder'> {
  return {
    startViewer: () => startPreviewWorker({ path: viewerPath, node, confinement }),
    startMaker: () => startTrialWorker({ path: makerPath, node, folders: [folder], confinement }),
    folder,
  }
}
