/**
 * Reads whole files into reused memory. If each photo got new memory, V8 would collect garbage after every few photos. That takes longer
 * than reading the files.
 */
import { fstatSync, readSync } from 'node:fs'
import { withOpenFile } from './with-open-file.ts'

/** Maximum size of a buffer to keep. Larger files are rare. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024

/** Memory that no file uses right now: enough for an original and its result. */
const kept: Buffer[] = []
const MOST_KEPT = 2

export type BorrowedFile = Disposable & {
  /** The file's bytes. Neither the bytes nor subarrays of them are valid after this object is disposed of. */
  readonly content: Buffer
}

/** @throws the system's error if the file can't be read */
export const borrowFile = (path: string): BorrowedFile =>
  withOpenFile(path, (file) => readAll(file, fstatSync(file).size))

const JPEG = Buffer.from([0xff, 0xd8, 0xff])

/** Like `borrowFile`. @returns undefined if the file isn't a JPEG, or if its memory would be too large to keep */
export const borrowJpeg = (path: string): BorrowedFile | undefined =>
  withOpenFile(path, (file) => {
    const { size } = fstatSync(file)
    const head = Buffer.alloc(JPEG.length)
    readSync(file, head, 0, head.length, 0)
    return head.equals(JPEG) && size <= MOST_KEPT_BYTES ? readAll(file, size) : undefined
  })

function readAll(file: number, size: number): BorrowedFile {
  const memory = memoryOf(size)
  let length = 0
  for (let read = 1; read > 0 && length < size; length += read)
    read = readSync(file, memory, length, size - length, length)
  return { content: memory.subarray(0, length), [Symbol.dispose]: () => keep(memory) }
}

function memoryOf(size: number): Buffer {
  const index = kept.findIndex(({ length }) => length >= size)
  const [memory] = index < 0 ? [] : kept.splice(index, 1)
  return memory ?? Buffer.allocUnsafeSlow(size)
}

function keep(memory: Buffer): void {
  if (memory.length > MOST_KEPT_BYTES) return
  kept.push(memory)
  kept.sort((one, other) => one.length - other.length)
  if (kept.length > MOST_KEPT) kept.shift()
}
