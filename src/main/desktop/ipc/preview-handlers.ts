/** Previews of files that the app knows: of the draft, of the last jobs, chosen in a dialog, or dropped on the picture. */
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import {
  IMAGE_EXTENSIONS,
  type MediaKind,
  mediaKindOf,
  VIDEO_EXTENSIONS,
} from '../../../shared/media-types.ts'
import type { Draft } from '../../../shared/model/draft.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import type { PreviewFailed, PreviewOvertaken } from '../../../shared/model/preview.ts'
import { baseName } from '../../../shared/paths.ts'
import type { FileAccess, KnownPaths } from '../../core/index.ts'
import type { History } from '../../history/index.ts'
import type { Previews } from '../../preview/preview.ts'
import type { Dialogs } from '../dialogs.ts'

export type PreviewHandlerDeps = {
  readonly previews: Previews
  readonly access: Pick<FileAccess, 'toFile'>
  readonly knownPaths: Pick<KnownPaths, 'learnInput' | 'learnTitles'>
  readonly draft: () => Draft
  readonly history: Pick<History, 'page'>
  readonly dialogs: Pick<Dialogs, 'askToOpen'>
  readonly picturesFolder: string
  readonly t: () => Translation
}

const RECENT = 3
/** Several jobs may have had the same file. */
const RECORDS_LOOKED_AT = 12
const EXTENSIONS = { image: IMAGE_EXTENSIONS, video: VIDEO_EXTENSIONS }

export function previewHandlers(deps: PreviewHandlerDeps): Handlers['preview'] {
  const { previews, access, knownPaths, t } = deps
  const lastTaken = new Map<MediaKind, string>()
  let newest = 0

  async function itemAt(path: string | undefined, kind: MediaKind): Promise<MediaItem | undefined> {
    if (path === undefined || mediaKindOf(path) !== kind) return undefined
    const found = await access.toFile(path)
    return found.kind === 'allowed' ? { path, name: baseName(path), kind, size: found.size } : undefined
  }

  async function recentFiles(kind: MediaKind): Promise<MediaItem[]> {
    const query = { kind: kind === 'image' ? 'photos' : 'videos' } as const
    const { records } = deps.history.page(query, { offset: 0, limit: RECORDS_LOOKED_AT })
    knownPaths.learnTitles(records)
    const paths = [...new Set(records.map(({ firstPath }) => firstPath ?? undefined))]
    const items = await Promise.all(paths.map((path) => itemAt(path, kind)))
    return items.filter((item) => item !== undefined).slice(0, RECENT)
  }

  function firstOfDraft(kind: MediaKind): string | undefined {
    const { source } = deps.draft()
    return source.kind === 'files' ? source.items.find((item) => item.kind === kind)?.path : undefined
  }

  async function take(path: string | undefined, kind: MediaKind | undefined): Promise<MediaItem | null> {
    if (path === undefined || kind === undefined) return null
    knownPaths.learnInput(path)
    const item = await itemAt(path, kind)
    if (item !== undefined) lastTaken.set(kind, path)
    return item ?? null
  }

  /** Whether a file may be shown is found out first; a newer wish may come meanwhile, and it has to stay the newer one. */
  async function ifAllowed<Shown>(
    paths: readonly string[],
    show: () => Promise<Shown>,
  ): Promise<Shown | PreviewFailed | PreviewOvertaken> {
    const turn = ++newest
    const found = await Promise.all(paths.map((path) => access.toFile(path)))
    if (turn !== newest) return { kind: 'overtaken' }
    const areAllowed = found.every(({ kind }) => kind === 'allowed')
    return areAllowed ? show() : { kind: 'failed', reason: t().error.fileGone }
  }

  return {
    async files(kind) {
      const current = (await itemAt(lastTaken.get(kind), kind)) ?? (await itemAt(firstOfDraft(kind), kind))
      return { current: current ?? null, recent: await recentFiles(kind) }
    },
    async choose(kind) {
      const [path] = await deps.dialogs.askToOpen({
        title: t().dialog.choosePreview,
        buttonLabel: t().dialog.choose,
        defaultPath: deps.picturesFolder,
        filters: [{ name: t().dialog.mediaFiles, extensions: [...EXTENSIONS[kind]] }],
        properties: ['openFile', 'dontAddToRecent'],
      })
      return take(path, kind)
    },
    bring(paths) {
      const path = paths.find((brought) => mediaKindOf(brought) !== undefined)
      return take(path, path === undefined ? undefined : mediaKindOf(path))
    },
    part(wish) {
      return ifAllowed([wish.path], () => {
        lastTaken.set(wish.part, wish.path)
        return previews.part(wish)
      })
    },
    whole: (wish) => ifAllowed([wish.path], () => previews.whole(wish)),
    compare: (wish) => ifAllowed([wish.original, wish.result], () => previews.compare(wish)),
    stop: () => previews.stop(),
  }
}
