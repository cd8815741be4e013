/** Previews files that the app knows: from the draft, from recent jobs, chosen in a dialog, or dropped on the preview. */
import { failure, reason } from '../../../shared/failure/failure.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { type MediaKind, openableExtensions } from '../../../shared/media-types.ts'
import type { FileIdentity } from '../../../node/file-identity.ts'
import { recognizeFile } from '../../../node/recognize-media.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import type { PreviewFailed, PreviewOvertaken } from '../../../shared/model/preview.ts'
import { baseName } from '../../../shared/paths.ts'
import type { Page } from './page.ts'

const RECENT = 3
/** Number of records to search. Larger than `RECENT`, because several jobs may have used the same file. */
const RECORDS_SEARCHED = 12

export function previewHandlers(page: Page): Handlers['preview'] {
  const { previews, fileAccess: access, knownPaths, t } = page
  const lastShown = new Map<MediaKind, string>()
  let newest = 0

  async function itemAt(path: string | undefined, kind: MediaKind): Promise<MediaItem | undefined> {
    if (path === undefined || (await kindOf(path)) !== kind) return undefined
    const found = await access.toFile(path)
    return found.kind === 'allowed'
      ? { path, name: baseName(path), kind, size: found.size, identity: found.identity }
      : undefined
  }

  async function recentFiles(kind: MediaKind): Promise<MediaItem[]> {
    const query = { kind: kind === 'image' ? 'photos' : 'videos' } as const
    const { records } = page.history.page(query, { offset: 0, limit: RECORDS_SEARCHED })
    knownPaths.learnTitles(records)
    const paths = [...new Set(records.map(({ firstPath }) => firstPath ?? undefined))]
    const items = await Promise.all(paths.map((path) => itemAt(path, kind)))
    return items.filter((item) => item !== undefined).slice(0, RECENT)
  }

  function firstOfDraft(kind: MediaKind): string | undefined {
    const { source } = page.drafts.store.view()
    return source.kind === 'files' ? source.items.find((item) => item.kind === kind)?.path : undefined
  }

  async function take(path: string | undefined, kind: MediaKind | undefined): Promise<MediaItem | null> {
    if (path === undefined || kind === undefined) return null
    knownPaths.learnInput(path)
    const item = await itemAt(path, kind)
    if (item !== undefined) lastShown.set(kind, path)
    return item ?? null
  }

  /** Checks access first. If a newer request arrives during the check, this one is dropped. */
  async function ifAllowed<Shown>(
    paths: readonly string[],
    show: (identities: readonly FileIdentity[]) => Promise<Shown>,
  ): Promise<Shown | PreviewFailed | PreviewOvertaken> {
    const request = ++newest
    const found = await Promise.all(paths.map((path) => access.toFile(path)))
    if (request !== newest) return { kind: 'overtaken' }
    const identities = found.flatMap((one) => (one.kind === 'allowed' ? [one.identity] : []))
    return identities.length === paths.length
      ? show(identities)
      : { kind: 'failed', failure: failure('fileUnreadable', { reason: reason('missing') }) }
  }

  return {
    async files(kind) {
      const current = (await itemAt(lastShown.get(kind), kind)) ?? (await itemAt(firstOfDraft(kind), kind))
      return { current: current ?? null, recent: await recentFiles(kind) }
    },
    async choose(kind) {
      const [path] = await page.dialogs.askToOpen({
        title: t().dialog.choosePreview,
        buttonLabel: t().dialog.choose,
        defaultPath: page.picturesFolder,
        filters: [{ name: t().dialog.mediaFiles, extensions: openableExtensions(kind) }],
        properties: ['openFile', 'dontAddToRecent'],
      })
      return take(path, kind)
    },
    async bring(paths) {
      for (const path of paths) {
        const kind = await kindOf(path)
        if (kind !== undefined) return take(path, kind)
      }
      return null
    },
    part(request) {
      return ifAllowed([request.path], ([identity]) => {
        lastShown.set(request.part, request.path)
        return previews.part(request, identity)
      })
    },
    whole: (request) => ifAllowed([request.path], ([identity]) => previews.whole(request, identity)),
    quality: () => previews.quality(),
    compare: (request) =>
      ifAllowed([request.original, request.result], (identities) => previews.compare(request, identities)),
    stop: () => previews.stop(),
  }
}

async function kindOf(path: string): Promise<MediaKind | undefined> {
  const recognized = await recognizeFile(path).catch(() => undefined)
  return recognized?.kind === 'image' || recognized?.kind === 'video' ? recognized.kind : undefined
}
