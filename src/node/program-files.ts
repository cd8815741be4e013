import { statSync } from 'node:fs'

/**
 * @param file one of the files that this process runs
 * @returns a function that returns whether an update or a removal of the program has replaced or deleted it
 */
export function watchProgramFile(file: string): () => boolean {
  const before = identityOf(file)
  return () => identityOf(file) !== before
}

function identityOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false })
  return found && [found.dev, found.ino, found.mtimeMs].join()
}
