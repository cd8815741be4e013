import { statSync } from 'node:fs'

/**
 * Creates a check that returns true once an update or a removal of the program has replaced or deleted one of its files.
 * @param file a file that this process runs
 */
export function watchProgramFile(file: string): () => boolean {
  const before = identityOf(file)
  return () => identityOf(file) !== before
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && [found.dev, found.ino, found.mtimeMs].join()
}
