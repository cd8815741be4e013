import type { Environment } from './environment.ts'
import { t } from './output/language.ts'
import type { Outcome } from '../../shared/model/job.ts'
import type { ServiceError } from '../../shared/service-error.ts'

/** Exit codes that scripts can rely on; see docs/cli.md. */
export const EXIT = {
  done: 0,
  usage: 2,
  problems: 3,
  failed: 4,
  notReachable: 5,
  keyRefused: 6,
  notKept: 7,
  damaged: 8,
  /** Ctrl-C or SIGTERM. As in shells, this is 128 + the number of SIGINT. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

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
