/** Checks whether results may replace their originals. */
import type { ResultCheck } from '../../media/protocol.ts'
import { createResultChecker } from '../vault/index.ts'
import type { WorkerProcess } from '../../media/start-worker.ts'
import type { Shared } from './line.ts'
import type { ReplacingDeps } from './replace-originals.ts'

export function resultChecks(
  { history, usedPresets }: Pick<Shared, 'history' | 'usedPresets'>,
  startChecker: (() => WorkerProcess) | undefined,
): Pick<ReplacingDeps, 'isGood' | 'presetOf' | 'endChecks'> {
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
