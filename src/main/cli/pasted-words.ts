import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Matches marks of direction at the ends of a word, and before the value of an option: `--preset=⁨Web⁩`. */
const AT_ENDS = /^(--[\w-]+=)?\p{Bidi_Control}+|\p{Bidi_Control}+$/gu

/**
 * Removes invisible marks of direction from the ends of arguments. Text copied from a right-to-left sentence may include them. An
 * argument that names an existing file or folder isn't changed.
 */
export const withoutPastedMarks = (argv: readonly string[], cwd: string): readonly string[] =>
  argv.map((word) => {
    const plain = word.replaceAll(AT_ENDS, '$1')
    return plain === word || existsSync(resolve(cwd, word)) ? word : plain
  })
