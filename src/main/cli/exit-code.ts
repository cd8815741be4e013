import type { Environment } from './environment.ts'
import { t } from './output/language.ts'
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { Outcome } from '../../shared/model/job.ts'
import type { ServiceError } from '../../shared/service-error.ts'

/** Reports why a command can't run, in the same form as an invalid option. @returns the exit code */
export function usageError(
  { stderr }: Pick<Environment, 'stderr'>,
  why: string,
  code: ExitCode = EXIT.usage,
): ExitCode {
  stderr.write(`${t().usage.error({ why })}\n`)
  return code
}

const CODE_OF_ERROR: Readonly<Record<ServiceError['kind'], ExitCode>> = {
  notReachable: EXIT.notReachable,
  noAnswer: EXIT.notReachable,
  unauthorized: EXIT.keyRefused,
  aborted: EXIT.interrupted,
  notFound: EXIT.failed,
  conflict: EXIT.failed,
  refused: EXIT.failed,
  driveNotReady: EXIT.failed,
  queueFull: EXIT.failed,
  serverError: EXIT.failed,
  badResponse: EXIT.failed,
  localFile: EXIT.failed,
}

const CODE_OF_OUTCOME: Readonly<Record<Outcome['kind'], ExitCode>> = {
  done: EXIT.done,
  problems: EXIT.problems,
  failed: EXIT.failed,
  cancelled: EXIT.failed,
  forgotten: EXIT.failed,
}

export const exitCodeOfError = ({ kind }: ServiceError): ExitCode => CODE_OF_ERROR[kind]
export const exitCodeOfOutcome = ({ kind }: Outcome): ExitCode => CODE_OF_OUTCOME[kind]

/**
 * Combines the codes of several submissions. A code that stopped the whole command takes precedence. If some submissions succeeded and
 * others failed, the result is `problems`.
 */
export function combinedExitCode(codes: readonly ExitCode[]): ExitCode {
  for (const stopper of [EXIT.interrupted, EXIT.notKept, EXIT.keyRefused, EXIT.notReachable] as const) {
    if (codes.includes(stopper)) return stopper
  }
  if (codes.every((code) => code === EXIT.done)) return EXIT.done
  if (codes.every((code) => code === EXIT.failed)) return EXIT.failed
  return EXIT.problems
}
