/** Makes videos that have what a video can have, in every container. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Make, samplesIn } from './photo-samples.ts'
import { withData } from '../media/video/with-data.ts'
import { words } from '../../src/media/words.ts'
import { ffmpeg, tool } from './tools.ts'

const PICTURE = words('-f lavfi -i testsrc2=s=128x96:r=25:d=2')
const tone = (layout = 'stereo') =>
  words(`-f lavfi -i anoisesrc=d=2:a=0.05,aformat=channel_layouts=${layout}`)
const TWO_TONES = [...tone(), ...tone('mono')]
const MAP_TWO = words('-map 0:v -map 1:a -map 2:a')
const ENGLISH_AND_GERMAN = words('-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu')
const H264 = words('-c:v libx264 -preset ultrafast -pix_fmt yuv420p')
const AAC = words('-c:a aac')

const TAGS = words(
  '-metadata title=Harbour -metadata location=+52.5200+013.4050/ -metadata creation_time=2021-03-04T05:06:07Z',
)

const timed: Make = (_folder, path) => ffmpeg(...PICTURE, ...H264, '-timecode', '01:02:03:04', path)

const SUBTITLES = `1
00:00:00,200 --> 00:00:01,000
The lights go out.

2
00:00:01,200 --> 00:00:01,800
All of them.
`

const CHAPTERS = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=1000
title=Dusk
[CHAPTER]
TIMEBASE=1/1000
START=1000
END=2000
title=Night
`

const tag = (track: string, ...tags: readonly string[]): readonly string[] =>
  tags.flatMap((one) => [`-metadata:${track}`, one])

/** Two audio tracks and subtitles, with languages, titles and flags, and chapters. */
async function full(
  folder: string,
  path: string,
  subtitles: string,
  ...more: readonly string[]
): Promise<void> {
  const [texts, chapters] = [join(folder, 'texts.srt'), join(folder, 'chapters.txt')]
  await writeFile(texts, SUBTITLES)
  await writeFile(chapters, CHAPTERS)
  const inputs = [...PICTURE, ...TWO_TONES, '-i', texts, '-i', chapters]
  const maps = [...MAP_TWO, ...words('-map 3:s -map_chapters 4 -map_metadata -1')]
  const tracks = [
    ...tag('s:a:0', 'language=eng', 'title=Main'),
    ...tag('s:a:1', 'language=deu', 'title=Director'),
    ...tag('s:s:0', 'language=fra', 'title=Signs'),
    ...words('-disposition:a:0 default -disposition:a:1 comment -disposition:s:0 forced'),
  ]
  const codecs = [...H264, ...AAC, '-c:s', subtitles]
  await ffmpeg(...inputs, ...maps, ...codecs, ...tracks, ...TAGS, ...more, path)
}

const VIDEOS: Readonly<Record<string, Make>> = {
  'full.mp4': (folder, path) => full(folder, path, 'mov_text'),
  'full.mov': (folder, path) => full(folder, path, 'mov_text'),
  'full.mkv': async (folder, path) => {
    const font = join(folder, 'font.txt')
    await writeFile(font, 'not really a font')
    await full(folder, path, 'srt', '-attach', font, '-metadata:s:t', 'mimetype=text/plain')
  },
  'styled.mkv': async (folder, path) => {
    const [texts, plain] = [join(folder, 'styled.srt'), join(folder, 'plain.mkv')]
    await writeFile(texts, '1\n00:00:00,200 --> 00:00:01,000\n{\\an8}<i>The lights</i> go out.\n')
    await ffmpeg(...PICTURE, ...tone(), ...H264, ...AAC, plain)
    await tool('mkvmerge', '-q', '-o', path, '--language', '1:pt-BR', plain, '--language', '0:eng', texts)
  },
  'measured.mov': async (folder, path) => {
    const plain = join(folder, 'plain.mov')
    await ffmpeg(...PICTURE, ...tone(), ...H264, ...AAC, plain)
    await withData(plain, path, 'gpmd', [Buffer.alloc(64, 'DEVC'), Buffer.alloc(64, 'DEVC')])
  },
  'timed.mov': timed,
  'timed.mkv': timed,
  'full.webm': (_folder, path) => {
    const codecs = words('-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus')
    return ffmpeg(...PICTURE, ...TWO_TONES, ...MAP_TWO, ...codecs, ...ENGLISH_AND_GERMAN, ...TAGS, path)
  },
  'plain.avi': (_folder, path) =>
    ffmpeg(...PICTURE, ...tone(), '-c:v', 'mpeg4', '-c:a', 'mp3', ...TAGS, path),
  'plain.ts': (_folder, path) =>
    ffmpeg(...PICTURE, ...TWO_TONES, ...MAP_TWO, ...H264, ...AAC, ...ENGLISH_AND_GERMAN, path),
  'turned.mp4': async (folder, path) => {
    const plain = join(folder, 'plain.mp4')
    await ffmpeg(...PICTURE, ...tone('5.1'), ...H264, ...AAC, plain)
    await ffmpeg('-display_rotation', '90', '-i', plain, '-c', 'copy', path).catch(() =>
      ffmpeg('-i', plain, '-c', 'copy', '-metadata:s:v', 'rotate=90', path),
    )
  },
  'wide-pixels.mkv': (_folder, path) => ffmpeg(...PICTURE, '-vf', 'setsar=4/3', ...H264, path),
  'exact.mkv': (_folder, path) =>
    ffmpeg(...PICTURE, ...tone('5.1'), ...words('-c:v ffv1 -pix_fmt yuv422p10le -c:a pcm_s24le'), path),
  'fields.mkv': (_folder, path) => {
    const filters = words('-vf tinterlace=mode=interleave_top,setfield=tff')
    return ffmpeg(...PICTURE, ...filters, ...H264, ...words('-flags +ilme+ildct -x264opts tff=1'), path)
  },
  'alpha.mov': (_folder, path) => {
    const picture = 'testsrc2=s=128x96:r=25:d=1,format=rgba,colorchannelmixer=aa=0.5'
    return ffmpeg(...words(`-f lavfi -i ${picture} -c:v qtrle`), path)
  },
  'hdr.mkv': (_folder, path) => {
    const parameters = 'log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'
    const codec = `-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params ${parameters}`
    const colors = '-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc'
    return ffmpeg(...PICTURE, ...words(codec), ...words(colors), path)
  },
}

export const VIDEO_SAMPLES = samplesIn(VIDEOS)
