/** Prepares the draft that repeats a job, for the window, the command line and assistants. */
import type { Draft } from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { WorkScope } from '../../shared/model/work.ts'
import { acceptAgain } from '../intake/index.ts'
import type { Core } from './core.ts'

export type Repeat = {
  /** All files, or only those without a result. */
  readonly which: 'all' | 'failed'
  readonly scope?: WorkScope | undefined
  readonly signal?: AbortSignal | undefined
  /** Called before any file is read. It may change the draft, or throw. */
  readonly check?: ((draft: Draft) => Promise<Draft>) | undefined
}

/**
 * Accepts the files that are at their paths now, because the user who repeats a job means those. Rejects originals that were to be
 * replaced, if the user has restored them and repeats only the failed files. Stops retrying failed downloads of
 * failed files, which would create duplicates of the new results.
 * @returns undefined if the job has no such files, or no longer exists
 */
export async function repeatJob(
  { history, downloads, replacing }: Pick<Core, 'history' | 'downloads' | 'replacing'>,
  id: RecordId,
  { which, scope = 'group', signal, check = (draft) => Promise.resolve(draft) }: Repeat,
): Promise<Draft | undefined> {
  const whole = history.draftFrom(id, which, scope)
  if (whole === undefined) return undefined
  const mayReplace = which === 'failed' && whole.output.kind === 'replace'
  const draft = mayReplace ? withoutRestored(whole, new Set(replacing.restored())) : whole
  const accepted = await acceptAgain(await check(draft), signal)
  if (which === 'failed') for (const part of history.wholeJob(id, scope)) downloads.giveUpFailed(part)
  return accepted
}

function withoutRestored(draft: Draft, restored: ReadonlySet<string>): Draft {
  const { source } = draft
  if (source.kind !== 'files') return draft
  const rejected = source.items
    .filter(({ path }) => restored.has(path))
    .map(({ path, name }) => ({ path, name, reason: 'restored' }) as const)
  const items = source.items.filter(({ path }) => !restored.has(path))
  return { ...draft, source: { ...source, items }, rejected: [...draft.rejected, ...rejected] }
}
