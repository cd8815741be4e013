import { statSync } from 'node:fs'

/**
 * Creates a check that returns true once a file has been replaced or deleted, for example by an update or removal of the program.
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
