/** Finds the files of submissions that haven't ended, so that a command doesn't submit them a second time. */
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Line } from '../core/index.ts'
import { isSameFile, type PendingCheck } from '../ledger/index.ts'
import type { Submission } from '../outbox/index.ts'
import { mayNeedAlias } from '../aliases/index.ts'
import { isForService, type Context } from './context.ts'

type Pending = {
  readonly item: MediaItem
  readonly preset: string | null
  readonly variations: number
}

/**
 * Creates a function that checks whether the outbox, or an unfinished job at the context's service, already contains a file with a preset.
 * @param variations the minimum number of variations that a submission must create to count
 */
export function pendingFiles(context: Context, variations: number): PendingCheck {
  const { outbox, history } = context.line
  const byPath = new Map<string, Pending[]>()
  function add(items: readonly MediaItem[], { preset, variations: made }: Omit<Pending, 'item'>): void {
    if (made < variations) return
    for (const item of items)
      byPath.set(item.path, [...(byPath.get(item.path) ?? []), { item, preset, variations: made }])
  }
  // Read the outbox first, because an accepted submission leaves it once it is in the history.
  for (const page of outbox.pages())
    for (const submission of page)
      if (isForService(context, submission) && isComing(submission, history))
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

/**
 * Whether a submission wasn't refused and its job hasn't ended yet. The outbox may contain submissions whose jobs have ended, if a command
 * was killed after the service accepted them.
 */
const isComing = ({ id, state }: Submission, history: Pick<Line['history'], 'details'>): boolean =>
  state.kind === 'accepted' ? (history.details(id)?.outcome ?? null) === null : state.kind !== 'refused'

/**
 * Whether the submitted file is still the same. A file without a print counts as the same, because it had just been written when it was
 * submitted or checked.
 */
function isSubmitted({ item }: Pending, now: string | undefined): boolean {
  if (item.print === undefined || now === undefined) return true
  // Linking and unlinking an alias (a hard link) changes the file's ctime, so don't compare ctime if the file may need an alias. For other
  // files, ctime may be the only sign of an edit.
  return mayNeedAlias(item) ? isSameFile(item.print, now) : item.print === now
}
