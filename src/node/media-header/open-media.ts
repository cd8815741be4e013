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
import { type PhotoCoding, photoCoding, USUAL_CODING } from './photo-coding.ts'
import { UNKNOWN, videoHeader } from './video-header.ts'
import { createWindow, type ReadPart } from './window.ts'

export type OpenMedia = {
  /** null if the file is neither a photo nor a video. */
  kind(): Promise<MediaKind | null>
  /** The usual extension of the file's format, without the dot; undefined if it isn't recognized. */
  format(): Promise<string | undefined>
  /** Facts that can't be read are null. */
  header(): Promise<FileHeader>
  /**
   * How the pixels of a photo are coded; the usual coding if the header can't be read.
   * @param size of the file in bytes
   */
  coding(size: number): Promise<PhotoCoding>
}

/**
 * Provides facts about a file until `use` has ended. Doesn't open the file before the first fact is requested.
 * @param openFile opens the file, which is closed here; undefined if it isn't a regular file
 */
export async function withMedia<T>(
  path: string,
  use: (media: OpenMedia) => Promise<T>,
  openFile = () => openRegular(path, 'refuse'),
): Promise<T> {
  let opening: Promise<FileHandle | undefined> | undefined
  const { upTo, part } = createWindow(async (at, length) => {
    const file = await (opening ??= openFile())
    if (file === undefined) return Buffer.alloc(0)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
    return buffer.subarray(0, bytesRead)
  })
  const head = () => upTo(0, SIGNATURE_BYTES)
  try {
    return await use({
      async kind() {
        // If the file can't be read, its name decides.
        const recognized = await head().then(
          (bytes) => recognize(path, bytes).kind,
          () => mediaKindOf(path),
        )
        return recognized === 'image' || recognized === 'video' ? recognized : null
      },
      format: () =>
        head().then(
          (bytes) => readMediaContent(bytes)?.extensions[0],
          () => undefined,
        ),
      header: () =>
        head()
          .then((bytes) => headerOf(readMediaContent(bytes), part))
          .catch(() => UNKNOWN),
      coding: (size) =>
        head()
          .then((bytes) => photoCoding(readMediaContent(bytes)?.extensions[0] ?? '', part, size))
          .catch(() => USUAL_CODING),
    })
  } finally {
    const file = await opening?.catch(() => undefined)
    await file?.close()
  }
}

async function headerOf(content: MediaContent | undefined, read: ReadPart): Promise<FileHeader> {
  if (content === undefined) return UNKNOWN
  const [format] = content.extensions
  if (content.kind === 'video') return videoHeader(format, read)
  const { width = null, height = null } = (await imageSize(format, read)) ?? {}
  return { width, height, duration: null }
}
