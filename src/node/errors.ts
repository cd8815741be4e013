/** What a thrown value says of itself. Node and SQLite put a `code` on their errors; nothing promises it. */

/** The code of a system error, such as `ENOENT`; '' where there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error))

/** The words of an error, for a log or for a sentence around them. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
