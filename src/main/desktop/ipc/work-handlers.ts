import { basename } from 'node:path'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import { errorSentence } from '../../../shared/i18n/sentences.ts'
import { SayableError } from './user-facing-error.ts'
import { askToSave } from './dialogs.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function workHandlers(deps: HandlerDeps): Handlers['work'] {
  const { core, t } = deps

  function openDraft(id: RecordId, which: 'all' | 'failed'): void {
    const draft = core.history.draftFrom(id, which)
    if (draft === undefined) throw new SayableError('recordGone', t().error.recordGone)
    core.drafts.openDraft(draft)
    core.history.markSeen(id)
  }

  return {
    details(id) {
      const record = core.history.details(id) ?? null
      if (record !== null) core.knownPaths.learnDetails(record)
      return record
    },
    async cancel(id) {
      const cancelled = await core.tracker.cancel(id)
      if (!cancelled.ok) {
        const { error } = cancelled
        throw new SayableError(error.kind, errorSentence(error, t()), error.message)
      }
    },
    runAgain: (id) => openDraft(id, 'all'),
    retryFailed: (id) => openDraft(id, 'failed'),
    remove(id) {
      core.history.remove(id)
    },
    restore(id) {
      core.history.restore(id)
    },
    seen: (id) => core.history.markSeen(id),
    async saveResult({ id, index }) {
      const record = core.history.details(id)
      const api = core.connection.api()
      const jobId = record?.facts.jobId ?? null
      if (record === undefined || jobId === null || api === undefined) {
        throw new SayableError('notReachable', t().serviceError.notReachable)
      }
      const result = record.results.find((one) => one.index === index)
      const file = await askToSave(deps, {
        title: t().dialog.saveResult,
        defaultPath: basename(result?.outputPath ?? record.name),
      })
      if (file === null) return null
      const saved = await api.download(jobId, { index, to: { file } })
      if (!saved.ok) {
        throw new SayableError(saved.error.kind, errorSentence(saved.error, t()), saved.error.message)
      }
      return { savedAs: saved.value.path }
    },
  }
}
