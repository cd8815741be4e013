/** Reads codes and messages of thrown values. Node and SQLite set `code` on their errors, but the types don't guarantee it. */

/** Returns the code of a system error, such as `ENOENT`, or ''. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error))

/** Returns the message of a thrown value, for logs and for messages to the user. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the stack of a thrown value, for logs; its message or text if it has no stack. */
export const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
