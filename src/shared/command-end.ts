/** How a command ends. Apart from the command line, so that the app doesn't load that before the first command. */

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

/**
 * Abort reason when the user presses Ctrl-C. Only this reason cancels jobs. A closed pipe or a SIGTERM from a service manager, for example,
 * doesn't.
 */
export const USER_CANCEL = new DOMException('The user pressed Ctrl-C.', 'AbortError')

/** Abort reason when the owner ends, for example because the app has started or quit. If possible, the next owner continues the command. */
export const OWNER_ENDS = new DOMException('Another process continues the command.', 'AbortError')
