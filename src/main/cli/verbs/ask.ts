import type { Result } from '../../../shared/service-error.ts'
import type { Context } from '../context.ts'
import { EXIT, exitCodeOfError, type ExitCode } from '../exit-code.ts'
import type { CliEvent } from '../output/index.ts'

/** The common shape of the small verbs: one request, one thing to say about its answer. */
export function tell<T>(
  context: Context,
  asked: Result<T>,
  say: (value: T) => readonly CliEvent[],
): ExitCode {
  if (!asked.ok) {
    context.report.say({ event: 'error', error: asked.error })
    return exitCodeOfError(asked.error)
  }
  for (const event of say(asked.value)) context.report.say(event)
  return EXIT.done
}
