/**
 * Opens an input once. Decoders need a path and open it several times. On Linux, they get the path of the open descriptor, which leads to
 * the same file even if the file is renamed. Other systems lack a path of this kind that all decoders can read, so the file's identity is
 * compared before and after reading.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { failed } from '../shared/failure/failure-error.ts'
import { type FileIdentity, openIdentified } from '../node/file-identity.ts'

export type OpenedInput = AsyncDisposable & {
  /** For decoders. Valid until the input is closed. */
  readonly path: string
  /** @throws FailureError if decoders may have read another file */
  requireSame(): Promise<void>
}

const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = process.platform === 'linux' && existsSync(DESCRIPTORS)

/** The names of open inputs, by the paths of their descriptors. */
const names = new Map<string, string>()

/** Returns the extension of an input's own name, lowercase and with the dot. */
export const extensionOfInput = (input: string): string =>
  path.extname(names.get(input) ?? input).toLowerCase()

/**
 * @param identity the file's identity when it was accepted; undefined to accept the file as it is now
 * @throws FailureError
 */
export async function openInput(file: string, identity: FileIdentity | undefined): Promise<OpenedInput> {
  const opened = await openIdentified(file, identity)
  const close = () => opened[Symbol.asyncDispose]()
  if (!hasDescriptors) {
    return {
      path: opened.realPath,
      requireSame: () => requireSame(file, opened.identity),
      [Symbol.asyncDispose]: close,
    }
  }
  const byDescriptor = `${DESCRIPTORS}/${opened.file.fd}`
  names.set(byDescriptor, file)
  return {
    path: byDescriptor,
    requireSame: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      names.delete(byDescriptor)
      await close()
    },
  }
}

/**
 * Throws if the path now leads to another file, because decoders may have read either file. This includes a file that the user has saved
 * there.
 */
async function requireSame(file: string, identity: FileIdentity): Promise<void> {
  await using now = await openIdentified(file, identity)
  if (now.identity !== identity) throw failed('fileReplaced', { name: path.basename(file) })
}
