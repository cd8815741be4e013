/** Adds a data track to a file, as cameras write it for telemetry. */
import { readFile, writeFile } from 'node:fs/promises'
import { AV_CODEC_ID_BIN_DATA, AVMEDIA_TYPE_DATA } from 'node-av/constants'
import { remux } from './remux.ts'

/** The only one that FFmpeg writes: GoPro's. */
const WRITTEN = 'gpmd'

/**
 * @param path of an MP4 or QuickTime file to create
 * @param type of the samples, four letters
 * @param samples shown for a tenth of a second each
 */
export async function withData(
  sourcePath: string,
  path: string,
  type: string,
  samples: readonly Buffer[],
): Promise<void> {
  await remux(sourcePath, path, {
    added: [
      {
        samples: samples.map((data, index) => ({ start: index / 10, end: (index + 1) / 10, data })),
        describe({ codecpar }) {
          codecpar.codecType = AVMEDIA_TYPE_DATA
          codecpar.codecId = AV_CODEC_ID_BIN_DATA
          codecpar.codecTag = WRITTEN
        },
      },
    ],
  })
  if (type === WRITTEN) return
  const bytes = await readFile(path)
  bytes.write(type, bytes.lastIndexOf(WRITTEN), 'latin1')
  await writeFile(path, bytes)
}
