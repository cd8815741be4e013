/** Makes Matroska files with several audio tracks, which all have the same sound. */
import { type AVPacketSideDataType, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_VIDEO } from 'node-av/constants'
import { type Marks, remux } from './remux.ts'

/**
 * @param sourcePath a file with a picture and a sound
 * @returns the path of a new file
 */
export async function makeTracks(
  sourcePath: string,
  audio: readonly Marks[],
  view?: { readonly type: AVPacketSideDataType; readonly data: Buffer },
  picture: Marks = {},
): Promise<string> {
  const path = `${sourcePath}.tracks.mkv`
  await remux(sourcePath, path, {
    copiesOf({ codecpar: { codecType } }) {
      if (codecType === AVMEDIA_TYPE_VIDEO) return [picture]
      return codecType === AVMEDIA_TYPE_AUDIO ? audio : []
    },
    describe(output) {
      if (view !== undefined) output.streams[0]?.codecpar.addCodedSideData(view.type, view.data)
    },
  })
  return path
}
