/**
 * Reads whole files into memory that is used again. With new memory for each photo, V8 would collect garbage after every few photos, which
 * takes longer than reading them.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Larger files are rare, and get their own memory. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024

/** Memory that no file uses right now. */
let kept: Buffer = Buffer.alloc(0)

type BorrowedFile = Disposable & {
  /** The file, until this is disposed of. The same goes for everything cut from it. */
  readonly content: Buffer
}

/** @throws the system's error if the file can't be read */
export function borrowFile(path: string): BorrowedFile {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const memory = memoryOf(size)
    let length = 0
    for (let read = 1; read > 0 && length < size; length += read)
      read = readSync(file, memory, length, size - length, length)
    return { content: memory.subarray(0, length), [Symbol.dispose]: () => keep(memory) }
  } finally {
    closeSync(file)
  }
}

function memoryOf(size: number): Buffer {
  const memory = kept.length >= size ? kept : Buffer.allocUnsafeSlow(size)
  kept = Buffer.alloc(0)
  return memory
}

function keep(memory: Buffer): void {
  if (memory.length > kept.length && memory.length <= MOST_KEPT_BYTES) kept = memory
}
