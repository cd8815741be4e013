/** What the page asks of work: jobs that run, submissions that wait, records of what is over. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { errorSentence } from '../../../shared/i18n/sentences.ts'
import { serviceIdOf, type ConnectionView } from '../../../shared/model/connection.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { RecordDetails } from '../../../shared/model/work.ts'
import type { ServiceError } from '../../../shared/service-error.ts'
import type { Connection } from '../../connection/index.ts'
import type { KnownPaths } from '../../core/index.ts'
import { giveTrueEnding, offeredName } from '../../downloads/index.ts'
import type { Drafts } from '../../drafts/index.ts'
import type { History } from '../../history/index.ts'
import type { Tracker } from '../../jobs/index.ts'
import type { Outbox, Sender } from '../../outbox/index.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Dialogs } from '../dialogs.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type WorkHandlerDeps = {
  readonly history: History
  readonly drafts: Pick<Drafts, 'openDraft'>
  readonly tracker: Pick<Tracker, 'cancel'>
  readonly connection: Pick<Connection, 'api' | 'view'>
  readonly knownPaths: Pick<KnownPaths, 'learnDetails'>
  readonly dialogs: Pick<Dialogs, 'askToSave'>
  readonly t: () => Translation
}

export function workHandlers(deps: WorkHandlerDeps): Handlers['work'] {
  const { history, t } = deps
  const serviceError = (error: ServiceError) =>
    new UserFacingError(error.kind, errorSentence(error, t()), error.message)

  function openDraft(id: RecordId, which: 'all' | 'failed'): void {
    const draft = history.draftFrom(id, which)
    if (draft === undefined) throw new UserFacingError('recordGone', t().error.recordGone)
    deps.drafts.openDraft(draft)
    history.markSeen(id)
  }

  return {
    details(id) {
      const record = history.details(id) ?? null
      if (record !== null) deps.knownPaths.learnDetails(record)
      return record
    },
    async cancel(id) {
      const cancelled = await deps.tracker.cancel(id)
      if (!cancelled.ok) throw serviceError(cancelled.error)
    },
    runAgain: (id) => openDraft(id, 'all'),
    retryFailed: (id) => openDraft(id, 'failed'),
    remove: (id) => void history.remove(id),
    restore: (id) => void history.restore(id),
    seen: (id) => history.markSeen(id),
    async saveResult({ id, index }) {
      const record = history.details(id)
      const api = deps.connection.api()
      const jobId = record?.facts.jobId ?? null
      if (record === undefined || jobId === null || api === undefined) {
        throw new UserFacingError('notReachable', t().serviceError.notReachable)
      }
      // Another service may have given the same id to a job of its own.
      if (!isJobOf(record, deps.connection.view())) {
        throw new UserFacingError('otherService', t().error.otherService)
      }
      const found = await api.job(jobId)
      if (!found.ok) throw serviceError(found.error)
      if (record.origin === 'ours' && !history.isOwnJob(found.value)) {
        throw new UserFacingError('otherService', t().error.otherService)
      }
      const result = record.results.find((one) => one.index === index)
      const file = await deps.dialogs.askToSave({
        title: t().dialog.saveResult,
        defaultPath: offeredName(result?.outputPath ?? record.name, jobId),
      })
      if (file === null) return null
      const saved = await api.download(jobId, { index, to: { file } })
      if (!saved.ok) throw serviceError(saved.error)
      return { savedAs: await giveTrueEnding(saved.value.path) }
    },
  }
}

const isJobOf = ({ facts }: RecordDetails, connected: ConnectionView): boolean =>
  facts.baseUrl !== null &&
  serviceIdOf({ kind: facts.service, baseUrl: facts.baseUrl }) === serviceIdOf(connected)

export type OutboxHandlerDeps = {
  readonly outbox: Outbox
  readonly sender: Pick<Sender, 'resolve'>
  readonly drafts: Pick<Drafts, 'edit'>
  readonly settings: Pick<Settings, 'update'>
}

export const outboxHandlers = ({
  outbox,
  sender,
  drafts,
  settings,
}: OutboxHandlerDeps): Handlers['outbox'] => ({
  sendNext: (id) => void outbox.sendNext(id),
  edit: (id) => void drafts.edit(id),
  remove: (id) => void outbox.remove(id),
  restore: (id) => void outbox.restore(id),
  resolve: ({ id, choice }) => void sender.resolve(id, choice),
  pause: () => void settings.update({ outboxPaused: true }),
  resume: () => void settings.update({ outboxPaused: false }),
})

export type HistoryHandlerDeps = {
  readonly history: History
  readonly knownPaths: Pick<KnownPaths, 'learnTitles'>
  readonly dialogs: Pick<Dialogs, 'askToSave'>
  readonly t: () => Translation
}

export const historyHandlers = ({
  history,
  knownPaths,
  dialogs,
  t,
}: HistoryHandlerDeps): Handlers['history'] => ({
  page({ query, offset, limit }) {
    const page = history.page(query, { offset, limit })
    knownPaths.learnTitles(page.records)
    return page
  },
  clear: () => history.clear(),
  async save(format) {
    const file = await dialogs.askToSave({
      title: t().dialog.saveHistory,
      defaultPath: `mediatray-history.${format}`,
      filters: [{ name: format.toUpperCase(), extensions: [format] }],
    })
    if (file === null) return null
    const pieces = format === 'json' ? history.exportJson() : history.exportCsv()
    await pipeline(Readable.from(pieces), createWriteStream(file))
    return { savedAs: file }
  },
})
