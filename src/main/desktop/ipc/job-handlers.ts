/** Handles calls about running jobs, waiting submissions, replaced originals, and records of finished jobs. */
import { USUAL_MODE, writeWhole } from '../../../node/write-file.ts'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { errorSentence, inLanguage, reasonWords } from '../../../shared/i18n/sentences.ts'
import type { Draft } from '../../../shared/model/draft.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import { NOTHING_HELD } from '../../../shared/model/replacement.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import type { JobScope } from '../../../shared/model/job-sections.ts'
import type { ServiceError } from '../../../shared/service-error.ts'
import { type Core, repeatJob } from '../../core/index.ts'
import { giveTrueEnding, offeredName } from '../../downloads/index.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'
import { presetWithFormat } from './preset-with-format.ts'

type JobPage = Core & Pick<Page, 'presets' | 'dialogs' | 'watch' | 't'>

export function jobHandlers(page: JobPage): Handlers['jobs'] {
  const { history, t } = page
  const serviceError = (error: ServiceError) =>
    new UserFacingError(error.kind, errorSentence(error, t()), reasonWords(error.message, error, t()))

  async function openDraft(id: RecordId, which: 'all' | 'failed', scope: JobScope): Promise<void> {
    const draft = await repeatJob(page, id, { which, scope })
    if (draft === undefined) throw new UserFacingError('recordGone', t().error.recordGone)
    page.drafts.openDraft(draft)
    history.markSeen(id)
  }

  return {
    details(id) {
      const record = history.jobDetails(id) ?? null
      if (record === null) return null
      const replacements = page.replacing.of(record)
      // The page shows the originals of all parts together.
      const shown = replacements.length === 0 ? [] : record.parts.filter((part) => part.id !== record.id)
      const others = shown.flatMap((part) => history.details(part.id) ?? [])
      for (const part of [record, ...others]) page.knownPaths.learnDetails(part)
      const otherReplacing = others.map(({ id: part, preset, inputs, results }) => ({
        id: part,
        preset,
        inputs,
        results,
      }))
      return { ...record, replacements, otherReplacing, hooks: history.hooks.of(record.id) }
    },
    async cancel({ id, scope }) {
      const cancelled = await page.cancelParts(id, scope)
      if (!cancelled.ok) throw serviceError(cancelled.error)
    },
    runAgain: ({ id, scope }) => openDraft(id, 'all', scope),
    retryFailed: ({ id, scope }) => openDraft(id, 'failed', scope),
    async useFormat({ id, paths, format }) {
      const record = history.details(id)
      const wanted = new Set(paths)
      const draft = await repeatJob(page, id, {
        which: 'all',
        scope: 'part',
        check: (all) => Promise.resolve(withOnly(all, wanted)),
      })
      if (record === undefined || draft === undefined)
        throw new UserFacingError('recordGone', t().error.recordGone)
      const changed = await presetWithFormat(page, record.preset, format)
      page.drafts.openDraft({ ...draft, presets: [changed] })
    },
    remove: (id) => void history.remove(id),
    restore: (id) => void history.restore(id),
    seen: (id) => void history.markSeen(id),
    async saveResult({ id, index }) {
      const record = history.details(id)
      // Another service may have issued the same job ID.
      const line = page.lines.to(record?.service ?? '')
      if (record?.service !== undefined && line === undefined) {
        throw new UserFacingError('otherService', t().error.otherService)
      }
      const api = line?.connection.api()
      const jobId = record?.facts.jobId ?? null
      if (record === undefined || jobId === null || api === undefined) {
        throw new UserFacingError('notReachable', t().serviceError.notReachable)
      }
      const found = await api.job(jobId)
      if (!found.ok) throw serviceError(found.error)
      if (record.origin === 'ours' && history.isOwnJob(found.value) === false) {
        throw new UserFacingError('otherService', t().error.otherService)
      }
      const result = record.results.find((one) => one.index === index)
      const file = await page.dialogs.askToSave({
        title: t().dialog.saveResult,
        defaultPath: offeredName(result?.outputPath ?? record.name, jobId),
      })
      if (file === null) return null
      const saved = await api.download(jobId, { index, to: { file } })
      if (!saved.ok) throw serviceError(saved.error)
      const savedAs = await giveTrueEnding(saved.value.path)
      await page.watch.noteResult(savedAs)
      return { savedAs }
    },
  }
}

function withOnly(draft: Draft, paths: ReadonlySet<string>): Draft {
  const { source } = draft
  if (source.kind !== 'files') return draft
  return { ...draft, source: { ...source, items: source.items.filter(({ path }) => paths.has(path)) } }
}

export const outboxHandlers = ({ outbox, quiet, ...page }: Page): Handlers['outbox'] => ({
  runNext: (id) => void outbox.runNext(id),
  moveBefore: ({ id, before }) => void outbox.moveBefore(id, before),
  edit: (id) => void page.drafts.edit(id),
  remove: (id) => void outbox.remove(id),
  restore: (id) => page.restoreParts(id),
  resolve: ({ id, choice }) => void page.sender.resolve(id, choice),
  startAnyway: (id) => quiet.startAnyway(id === null ? null : [id]),
  pause: (length) => quiet.pause(length),
  resume: () => quiet.resume(),
})

type VaultPage = Pick<Page, 'history' | 'replacing' | 'vault' | 't'> & {
  readonly dialogs: Pick<Page['dialogs'], 'askToOpen'>
}

export function vaultHandlers({ history, replacing, vault, dialogs, t }: VaultPage): Handlers['vault'] {
  function recordOf(id: RecordId): PartDetails {
    const record = history.jobDetails(id)
    if (record === undefined) throw new UserFacingError('recordGone', t().error.recordGone)
    return record
  }
  return {
    undo: ({ id, paths }) => replacing.undo(recordOf(id), paths),
    redo: ({ id, paths }) => replacing.redo(recordOf(id), paths),
    replaceAnyway: ({ id, path }) => replacing.replaceAnyway(recordOf(id), path),
    async undoFolder() {
      const [folder] = await dialogs.askToOpen({
        title: t().dialog.restoreFolder,
        buttonLabel: t().dialog.restore,
        properties: ['openDirectory'],
      })
      return folder === undefined ? null : { folder, restored: await replacing.undoFolder(folder) }
    },
    totals: () => (vault.isUsed() ? vault.totals() : NOTHING_HELD),
    empty: () => replacing.empty(),
  }
}

export const historyHandlers = ({ history, knownPaths, dialogs, t }: Page): Handlers['history'] => ({
  page({ query, ...request }) {
    const page = history.page(inLanguage(query, t()), request)
    knownPaths.learnTitles(page.records)
    return page
  },
  extent: () => history.extent(),
  saved: (query) => history.saved(inLanguage(query, t())),
  clear: () => history.clear(),
  async save(format) {
    const file = await dialogs.askToSave({
      title: t().dialog.saveHistory,
      defaultPath: `mediatray-history.${format}`,
      filters: [{ name: format.toUpperCase(), extensions: [format] }],
    })
    if (file === null) return null
    const pieces = format === 'json' ? history.exportJson() : history.exportCsv()
    await writeWhole(file, pieces, USUAL_MODE)
    return { savedAs: file }
  },
})
