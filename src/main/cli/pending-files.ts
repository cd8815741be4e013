/** Finds the files of submissions that haven't ended, so that a command doesn't submit them a second time. */
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Core } from '../core/index.ts'
import { isSameFile, type PendingCheck } from '../ledger/index.ts'
import type { StoredSubmission } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { isFor } from './follow-submissions.ts'

type Pending = Pick<MediaItem, 'print'> & { readonly preset: string | null; readonly variations: number }

/**
 * Reads the submissions of the context's service: those in the outbox, and those whose jobs haven't ended.
 * @param variations the least number that a submission must make
 */
export function pendingFiles(
  context: Context,
  { outbox, history }: Pick<Core, 'outbox' | 'history'>,
  variations: number,
): PendingCheck {
  const byPath = new Map<string, Pending[]>()
  function add(items: readonly MediaItem[], work: Omit<Pending, 'print'>): void {
    if (work.variations < variations) return
    for (const { path, print } of items) byPath.set(path, [...(byPath.get(path) ?? []), { ...work, print }])
  }
  // An accepted submission leaves the outbox once it is in the history, so the outbox is read first.
  for (const page of outbox.pages())
    for (const submission of page)
      if (isFor(context, submission) && isComing(submission, history))
        add(submission.plan.items, submission.plan)
  for (const { id } of history.openJobs()) {
    const record = history.details(id)
    if (record === undefined) continue
    const { service: kind, baseUrl } = record.facts
    if (serviceIdOf({ kind, baseUrl: baseUrl ?? '' }) === context.service.identity) add(record.inputs, record)
  }
  return (path, preset, print) =>
    byPath.get(path)?.some((one) => one.preset === preset && isSubmitted(one, print)) === true
}

/** A command that was killed after its submission was accepted may have left it in the outbox, although its job has ended. */
const isComing = ({ id, state }: StoredSubmission, history: Pick<Core['history'], 'details'>): boolean =>
  state.kind === 'accepted' ? (history.details(id)?.outcome ?? null) === null : state.kind !== 'refused'

/** A file without a print was submitted right after it had been written. */
const isSubmitted = ({ print }: Pending, now: string | undefined): boolean =>
  print === undefined || now === undefined || isSameFile(print, now)
