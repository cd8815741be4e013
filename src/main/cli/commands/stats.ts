import type { CliCommand } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { LOCALLY } from '../open-core.ts'

/** Prints the totals of all results, including those of deleted history records. */
export const stats: CliCommand = async ({ openCore, report }) => {
  const core = await openCore(LOCALLY)
  report.say({ event: 'stats', ...core.history.totals() })
  return EXIT.done
}
