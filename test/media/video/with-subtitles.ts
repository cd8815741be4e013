/** Makes Matroska files with the picture of another one and SubRip subtitles. */
import {
  AV_CODEC_ID_SUBRIP,
  AV_DISPOSITION_DEFAULT,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants'
import { remux, type Sample } from './remux.ts'

type Subtitle = Pick<Sample, 'start' | 'end'> & { readonly text: string }

/** @returns the path of a new file */
export async function withSubtitles(
  sourcePath: string,
  lines: readonly Subtitle[],
  { isDefault = false } = {},
): Promise<string> {
  const path = `${sourcePath}.subtitles.mkv`
  await remux(sourcePath, path, {
    copiesOf: ({ codecpar }) => (codecpar.codecType === AVMEDIA_TYPE_VIDEO ? [{}] : []),
    added: [
      {
        samples: lines.map(({ text, ...times }) => ({ ...times, data: Buffer.from(text, 'utf8') })),
        describe(stream) {
          stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
          stream.codecpar.codecId = AV_CODEC_ID_SUBRIP
          if (isDefault) stream.disposition = AV_DISPOSITION_DEFAULT
        },
      },
    ],
  })
  return path
}
