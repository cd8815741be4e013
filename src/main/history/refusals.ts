/** The paths that assistants weren't allowed to access. Only the newest refusals are kept, so that an assistant can't fill the disk. */
import type { Refusal } from '../../shared/model/assistants.ts'
import type { HistoryFile } from './history-file.ts'

/** Maximum number of stored refusals. */
const KEPT = 100
/** Maximum length of a stored path in characters. Longer paths are cut. */
const MAX_PATH = 4_096

export const refusalsIn = (file: HistoryFile) => ({
  /** Stores a refusal. A repetition of the last one only changes its time. */
  add: ({ path, reason, at }: Refusal): void =>
    file.change(({ refusals, change }) => {
      const refusal = { path: path.slice(0, MAX_PATH), reason, at }
      const [last] = refusals.where`TRUE ORDER BY number DESC LIMIT 1`
      if (last?.path === refusal.path && last.reason === reason)
        return void refusals.update({ number: last.number }, { at })
      const number = refusals.insert(refusal)
      void change`DELETE FROM refusals WHERE number <= ${number - KEPT}`
    }),
  /** Returns the newest refusals, newest first. */
  newest: (count: number): readonly Refusal[] =>
    file.read(({ refusals }) => refusals.only('path', 'reason', 'at'))
      .where`TRUE ORDER BY number DESC LIMIT ${count}`,
})
