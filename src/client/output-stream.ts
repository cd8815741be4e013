/** Writes to this process's stdout or stderr. A failed write loses text, but never ends the command. */
import { fstatSync, readSync, statSync, writeSync } from 'node:fs'

type Sink = {
  write(text: string): void
  /** Width in columns; undefined if the output isn't a terminal. */
  readonly columns: number | undefined
}

const NEW_LINE = 10

/** @param onFailed called for each text that couldn't be written */
export function sinkOf(
  stream: NodeJS.WriteStream & { readonly fd: number },
  onFailed: (error: Error) => void,
): Sink {
  stream.on('error', onFailed)
  const write =
    !stream.isTTY && isFile(stream.fd)
      ? fileWriter(stream.fd, onFailed)
      : (text: string) => void stream.write(text)
  return {
    write,
    get columns() {
      // Some terminals don't report their width and return 0.
      return stream.isTTY ? stream.columns || 80 : undefined
    },
  }
}

/** @param onFailed called for each text, because none can be written */
export const closedSink = (onFailed: (error: Error) => void): Sink => ({
  write: () => onFailed(new Error('stdout is closed')),
  columns: undefined,
})

/**
 * Creates a function that writes to a file. Unlike Node's stream, it continues after an error, because a full disk may have space again.
 */
function fileWriter(fd: number, onFailed: (error: Error) => void): Sink['write'] {
  let isInsideLine = false
  return (text) => {
    let rest: Uint8Array = Buffer.from(isInsideLine ? `\n${text}` : text)
    try {
      while (rest.length > 0) {
        const bytes = writeSync(fd, rest)
        isInsideLine = rest[bytes - 1] !== NEW_LINE
        rest = rest.subarray(bytes)
      }
    } catch (error) {
      onFailed(error instanceof Error ? error : new Error(String(error)))
      return
    }
    // The next text starts on a new line only if an error has cut off this one.
    isInsideLine = false
  }
}

/** Whether the descriptor is a file or behaves like one, as the device `/dev/full` does. */
function isFile(fd: number): boolean {
  try {
    const found = fstatSync(fd)
    return found.isFile() || found.isCharacterDevice()
  } catch {
    return false
  }
}

/**
 * Whether the shell closed the descriptor (`>&-`). Node then opens it for reading and writing on the null device, unlike `> /dev/null`,
 * which only writes.
 */
export function isClosed(fd: number): boolean {
  try {
    if (fstatSync(fd).rdev !== statSync('/dev/null').rdev) return false
    readSync(fd, Buffer.alloc(1))
    return true
  } catch {
    return false
  }
}
