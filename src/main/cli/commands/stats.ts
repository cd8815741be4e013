import type { CliCommand } from '../context.ts'
import { EXIT } from '../exit-code.ts'

/** Prints the totals of all results, including those of deleted history records. */
export const stats: CliCommand = async ({ line, report }) => {
  report.say({ event: 'stats', ...line.history.totals() })
  return EXIT.done
}
