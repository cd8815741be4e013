import type { CliCommand } from '../context.ts'
import { EXIT } from '../exit-code.ts'

/** Prints the totals of all results, including those of deleted history records. */
export const stats: CliCommand = async ({ openCore, report }) => {
  const core = await openCore({ connected: false, sends: false })
  report.say({ event: 'stats', ...core.history.totals() })
  return EXIT.done
}
