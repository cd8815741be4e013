/** Checks whether results may replace their originals. */
import type { ResultCheck } from '../../media/protocol.ts'
import type { History } from '../history/index.ts'
import { createResultChecker } from '../vault/index.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import type { ReplacingDeps } from './replace-originals.ts'
import type { UsedPresets } from './used-presets.ts'

export function resultChecks({
  history,
  usedPresets,
  startChecker,
}: {
  readonly history: Pick<History, 'sending'>
  readonly usedPresets: Pick<UsedPresets, 'find'>
  readonly startChecker?: (() => WorkerProcess) | undefined
}): Pick<ReplacingDeps, 'isGood' | 'presetOf' | 'endChecks'> {
  const checker = startChecker && createResultChecker(startChecker)
  return {
    isGood: async (check: ResultCheck) => (await checker?.isGood(check)) === true,
    async presetOf({ id, preset, facts }) {
      // A record may not name its service, for example after a job was resumed. Only jobs of the built-in service are resumed.
      const { presetHash } = history.sending(id)
      const isForeign = facts.service === 'external' || preset === null || presetHash === undefined
      return isForeign ? null : usedPresets.find(presetHash)
    },
    endChecks: () => checker?.close(),
  }
}
