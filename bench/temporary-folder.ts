import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates a temporary folder and removes it at the end of the scope: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder(
  parent = tmpdir(),
): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, 'mediatray-bench-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  }
}
