/** Describes a file from its header, without decoding it. */
import { basename } from 'node:path'
import { headOf, readMediaContent } from '../../../node/media-content.ts'
import { mediaIn } from '../../../node/media-header/open-media.ts'
import { recognize } from '../../../node/recognize-media.ts'
import { extensionOf } from '../../../shared/media-types.ts'
import { shownText } from '../../../shared/paths.ts'
import { t } from '../output/language.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'

export async function describeFile({ access }: AssistantSession, path: string): Promise<Data> {
  const opened = await access.open(path)
  await using file = opened.file
  const { path: real } = opened
  const { width, height, duration } = await mediaIn(file, real).header()
  const { size, mtime } = await file.stat()
  const head = await headOf(file)
  const { kind, ...found } = recognize(real, head)
  const isMedia = kind === 'image' || kind === 'video'
  return {
    path: real,
    name: shownText(basename(real)),
    kind: kind === 'image' ? 'photo' : kind === 'video' ? 'video' : 'other',
    ...(isMedia && readMediaContent(head) !== undefined
      ? { format: 'format' in found ? found.format : extensionOf(real) }
      : {}),
    bytes: size,
    modified: mtime.toISOString(),
    ...(width === null || height === null ? {} : { width, height }),
    ...(duration === null ? {} : { seconds: duration / 1_000 }),
    ...(isMedia ? {} : { cantBeUsed: t().rejections[kind === 'raw' ? 'raw' : 'unsupported'] }),
  }
}
