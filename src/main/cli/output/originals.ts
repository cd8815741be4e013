/** Events about replaced originals and the vaults that keep them. */
import type { Failure } from '../../../shared/failure/failure.ts'
import { describeFailure } from '../../../shared/i18n/failures.ts'
import { replacedSentence } from '../../../shared/i18n/sentences.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { ReplacedCounts, Replacement, Restored, VaultTotals } from '../../../shared/model/replacement.ts'
import { t } from './language.ts'
import { err, indented, out } from './words.ts'

/** `id` is null if the record was deleted, and `failure` if the change succeeded. */
type Changed = { readonly id: RecordId | null; readonly file: Restored; readonly failure: Failure | null }

type Ended = {
  readonly id: RecordId
  readonly counts: ReplacedCounts
  readonly files: readonly Replacement[]
}

type Held = VaultTotals & { readonly keepDays: number | null }

type Emptied = Pick<VaultTotals, 'files' | 'bytes' | 'away'> & {
  readonly left: number
  readonly unrestored: readonly string[]
}

export const originalsEvents = {
  /** What happened to the originals of a job that replaces them. `id` is the whole job's. */
  originals: ({ id, counts, files }: Ended) =>
    out(
      `${id}  ${replacedSentence(counts, t())}`,
      ...files.flatMap(({ path, state }) => {
        if (state.kind !== 'kept') return []
        const { result } = state
        const kept = { path, reason: t().keptReasons[state.why] }
        const { keptWithResult, kept: plain } = t().originalsReport
        return indented(result === null ? plain(kept) : keptWithResult({ ...kept, result }))
      }),
      ...(counts.replaced > 0 ? [indented(t().originalsReport.undo({ id }))] : []),
    ),
  restored: ({ file, failure }: Changed) => changed(file, failure, file.kind === 'restored' && file.newer),
  replacedAgain: ({ file, failure }: Changed) => changed(file, failure, 'again'),
  /** `keepDays`: number of days after which originals are deleted; null keeps them. */
  vault: ({ files, bytes, vaults, away, unlisted, keepDays }: Held) => {
    if (files === 0 && away === 0) return out(...(unlisted.length === 0 ? [t().originalsReport.none] : []))
    return out(
      t().originalsReport.total({ files: t().count.files({ count: files }), size: t().size(bytes) }),
      ...vaults.map(indented),
      ...(away === 0 ? [] : [t().originalsReport.away({ count: away })]),
      keepDays === null
        ? t().originalsReport.untilEmptied
        : t().originalsReport.untilDay({ count: keepDays }),
    )
  },
  /**
   * `away`: number of vaults that weren't found and therefore keep their files. `left`: number of files that stay, because they are in
   * those vaults, couldn't be deleted, or couldn't be restored (`unrestored`: the paths of these originals).
   */
  vaultEmptied: ({ files, bytes, away, left, unrestored }: Emptied) => {
    const failed = left - unrestored.length
    const undeleted =
      failed > 0 ? [t().originalsReport.notDeleted({ files: t().count.files({ count: failed }) })] : []
    const there = t().originalsReport.away({ count: away })
    const rest = away === 0 ? undeleted : [t().originalsReport.awayStay({ away: there })]
    const deleted = { files: t().count.files({ count: files }), size: t().size(bytes) }
    return out(t().sentences([t().originalsReport.emptied(deleted), ...rest]))
  },
}

/**
 * Describes the change to one original.
 * @param how `again` if the original was replaced again, true if the restored file is a version that another program had saved in the
 * meantime
 */
function changed(file: Restored, failure: Failure | null, how: boolean | 'again' | undefined) {
  if (failure !== null) return err(describeFailure(failure, t()))
  const path = 'place' in file ? file.place : file.path
  const { restored, restoredBoth, restoredNewer, replacedAgain } = t().originalsReport
  if (file.kind === 'both') return out(restoredBoth({ path }))
  const words = how === 'again' ? replacedAgain : how === true ? restoredNewer : restored
  return out(words({ path }))
}
