/**
 * Processes what is on the clipboard and puts the results back, unless something else was copied meanwhile. The clipboard isn't
 * touched until the results exist, so a failure or a crash leaves it as it is.
 */
import { randomUUID } from 'node:crypto'
import { messageOf } from '../../../node/errors.ts'
import type { ClipboardNews } from '../../../shared/model/clipboard-news.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import { clipboardPreset } from '../../../shared/model/settings.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import type { Core } from '../../core/index.ts'
import { draftOf, mediaIn, type MediaOptions } from './clipboard-media.ts'
import {
  copiedIn,
  type Copied,
  keepContent,
  type Kept,
  markIn,
  mayBeAutomatic,
  printOf,
  type ReadableClipboard,
} from './copied.ts'
import { createJobEndings, type EndingOptions, hasResults } from './job-endings.ts'
import { smallerResults } from './job-results.ts'
import { putContent, putFiles, type WritableClipboard } from './put-back.ts'

export type ClipboardJobsOptions = MediaOptions &
  EndingOptions &
  Pick<Core, 'fileAccess' | 'quiet'> &
  WritableClipboard & {
    readonly clipboard: ReadableClipboard
    /** Whether the app can tell that a write took effect. On Wayland, it can only while its window is in front. */
    readonly canConfirm: () => boolean
    readonly tell: (news: ClipboardNews, isAutomatic: boolean) => void
    readonly log: (message: string) => void
  }

export type ClipboardJobs = ReturnType<typeof createClipboardJobs>

/** The copied content when processing started. */
type Before = { readonly copied: Copied; readonly print: string; readonly kept: Kept }

type Done = { readonly run: string; readonly kept: Kept; readonly paths: readonly string[] }

export function createClipboardJobs(options: ClipboardJobsOptions) {
  const { clipboard, drafts, settings, log } = options
  /** The prints of the contents that are being processed. */
  const underWay = new Set<string>()
  const endings = createJobEndings(options)
  const originals = new Set<string>()
  let last: Done | undefined

  async function process(noticed: string | undefined): Promise<void> {
    const isAutomatic = noticed !== undefined
    const tell = (news: ClipboardNews) => options.tell(news, isAutomatic)
    const preset = clipboardPreset(settings.view(), options.connection.view())
    const items = await clipboard.read()
    if (isAutomatic && !mayBeAutomatic(items)) return
    const copied = await copiedIn(items)
    // Something secret may have been copied in the meantime, and `copied` may contain it.
    if (isAutomatic && !mayBeAutomatic(await clipboard.read())) return
    if (copied.kind === 'nothing') return tell({ kind: 'nothing' })
    if (copied.kind === 'files' && copied.isCut) return tell({ kind: 'cut' })
    const mark = await markIn(items)
    if (mark?.isResult === true && mark.preset === preset) return tell({ kind: 'notSmaller' })
    const print = printOf(copied)
    if (isAutomatic && print !== noticed) return
    if (underWay.has(print)) return tell({ kind: 'underWay' })
    underWay.add(print)
    try {
      const media = await mediaIn(copied, preset, options)
      if (media.length === 0) return tell({ kind: 'nothing' })
      const before = { copied, print, kept: await keepContent(items) }
      await run(media, preset, before, { isAutomatic, tell })
    } finally {
      underWay.delete(print)
    }
  }

  type How = { readonly isAutomatic: boolean; readonly tell: (news: ClipboardNews) => void }

  async function run(
    media: readonly MediaItem[],
    preset: string | null,
    before: Before,
    { isAutomatic, tell }: How,
  ): Promise<void> {
    const paths = media.map(({ path }) => path)
    for (const path of paths) originals.add(path)
    try {
      const started = await drafts.startDraft(draftOf(media, preset, options), { split: false, grace: 0 })
      const [id] = started.ok ? started.jobs : []
      if (id === undefined) return tell({ kind: 'notStarted' })
      const end = endings.of(id)
      // The user is waiting for the result.
      if (!isAutomatic) options.quiet.startAnyway([id])
      if (options.connection.view().state.status !== 'online') tell({ kind: 'waiting' })
      const ended = await end
      if (ended === 'withdrawn') return undefined
      if (ended === 'needsUser') return tell({ kind: 'needsUser', id })
      if (ended.outcome?.kind === 'failed') return tell({ kind: 'failed', id })
      if (hasResults(ended)) await putBack(ended, preset, before, tell)
    } finally {
      for (const path of paths) originals.delete(path)
    }
  }

  async function putBack(
    whole: PartDetails,
    preset: string | null,
    { copied, print, kept }: Before,
    tell: (news: ClipboardNews) => void,
  ): Promise<void> {
    const smaller = await smallerResults(whole, options)
    if (smaller.size === 0) return tell({ kind: 'notSmaller' })
    const results = [...smaller.values()]
    const files =
      copied.kind === 'files'
        ? copied.paths.map((path) => smaller.get(path)?.path ?? path)
        : results.map(({ path }) => path)
    const image = files.length === 1 && whole.photos === 1 ? files[0] : undefined
    if (printOf(await copiedIn(await clipboard.read())) !== print)
      return tell({ kind: 'changed', id: whole.id })
    const done: Done = { run: randomUUID(), kept, paths: results.map(({ path }) => path) }
    const isPut = await putFiles(options, files, image, { run: done.run, isResult: true, preset })
    if (!isPut) return tell({ kind: 'blocked', id: whole.id })
    last = done
    tell({
      kind: 'ready',
      run: done.run,
      id: whole.id,
      was: results.reduce((sum, { originalSize }) => sum + originalSize, 0),
      now: results.reduce((sum, { size }) => sum + size, 0),
      preset,
      results: results.length,
      isConfirmed: options.canConfirm(),
    })
  }

  return {
    /**
     * Never throws. Resolves when the result is on the clipboard, or when processing has ended without one.
     * @param noticed the print of the image that automatic mode has noticed. If given, only this image is processed
     */
    async process(this: void, noticed?: string): Promise<void> {
      try {
        await process(noticed)
      } catch (error) {
        log(`could not process the clipboard: ${messageOf(error)}`)
        options.tell({ kind: 'notStarted' }, noticed !== undefined)
      }
    },
    /** Restores what was on the clipboard before this run, unless something else has been copied since. */
    async undo(this: void, run: string): Promise<void> {
      const done = last
      const mark = await markIn(await clipboard.read())
      if (done?.run !== run || mark?.run !== run) return options.tell({ kind: 'notRestored' }, false)
      const isPut = await putContent(options, done.kept, { run, isResult: false, preset: null })
      if (!isPut) return options.tell({ kind: 'restoreBlocked' }, false)
      last = undefined
      options.tell({ kind: 'restored' }, false)
    },
    /** Returns the path of this run's result; undefined unless the run is the last one and has a single result. */
    resultOf: (run: string) => (last?.run === run && last.paths.length === 1 ? last.paths[0] : undefined),
    jobFinished: endings.jobFinished,
    outboxChanged: endings.outboxChanged,
    /** Originals that a running job still needs. */
    originals: (): ReadonlySet<string> => originals,
  }
}
