/**
 * Reads a file's kind and the facts in its header, without decoding it. Small and fast, because rules are applied to thousands of files.
 */
import type { FileHandle } from 'node:fs/promises'
import { mediaKindOf, type MediaKind } from '../../shared/media-types.ts'
import type { FileHeader } from '../../shared/model/file-facts.ts'
import { type MediaContent, readMediaContent, SIGNATURE_BYTES } from '../media-content.ts'
import { openRegular } from '../open-regular.ts'
import { recognize } from '../recognize-media.ts'
import { imageSize } from './image-size.ts'
import { type PhotoCoding, photoCoding, UNKNOWN_CODING } from './photo-coding.ts'
import { UNKNOWN, videoHeader } from './video-header.ts'
import { createWindow, type ReadPart } from './window.ts'

export type OpenMedia = ReturnType<typeof mediaFrom>

/** Provides facts about a file until `use` has ended. Doesn't open the file before the first fact is requested. */
export async function withMedia<T>(path: string, use: (media: OpenMedia) => Promise<T>): Promise<T> {
  let opening: Promise<FileHandle | undefined> | undefined
  try {
    return await use(mediaFrom(path, () => (opening ??= openRegular(path, 'refuse'))))
  } finally {
    const file = await opening?.catch(() => undefined)
    await file?.close()
  }
}

/** Provides facts about a file that is already open. The file at its path may be another one by now. */
export const mediaIn = (file: FileHandle, path: string): OpenMedia =>
  mediaFrom(path, () => Promise.resolve(file))

/** @param openFile returns undefined for anything but a regular file */
function mediaFrom(path: string, openFile: () => Promise<FileHandle | undefined>) {
  const { upTo, part } = createWindow(async (at, length) => {
    const file = await openFile()
    if (file === undefined) return Buffer.alloc(0)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  })
  const head = () => upTo(0, SIGNATURE_BYTES)
  const content = () => head().then(readMediaContent)
  return {
    /** null for RAW photos, and for files that are neither photos nor videos. */
    async kind(): Promise<MediaKind | null> {
      // If the file can't be read, its name decides.
      const recognized = await head().then(
        (bytes) => recognize(path, bytes).kind,
        () => mediaKindOf(path),
      )
      return recognized === 'image' || recognized === 'video' ? recognized : null
    },
    /**
     * What the first bytes of the file show; undefined if they aren't recognized.
     * @throws the file system's error
     */
    content,
    /** Facts that can't be read are null. */
    header: (): Promise<FileHeader> =>
      content()
        .then((found) => headerOf(found, part))
        .catch(() => UNKNOWN),
    /**
     * How the pixels of a photo are coded; `UNKNOWN_CODING` if the header can't be read.
     * @param size of the file in bytes
     */
    coding: (size: number): Promise<PhotoCoding> =>
      content()
        .then((found) => photoCoding(found?.extensions[0] ?? '', part, size))
        .catch(() => UNKNOWN_CODING),
  }
}

async function headerOf(content: MediaContent | undefined, read: ReadPart): Promise<FileHeader> {
  if (content === undefined) return UNKNOWN
  const [format] = content.extensions
  if (content.kind === 'video') return videoHeader(format, read)
  const { width = null, height = null } = (await imageSize(format, read)) ?? {}
  return { width, height, duration: null }
}
