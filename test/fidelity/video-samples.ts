/** Makes videos that have what a video can have, in every container. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sample } from './photo-samples.ts'
import { withData } from '../media/video/with-data.ts'
import { ffmpeg, tool } from './tools.ts'

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=25:d=2']
const tone = (layout = 'stereo') => [
  '-f',
  'lavfi',
  '-i',
  `anoisesrc=d=2:a=0.05,aformat=channel_layouts=${layout}`,
]
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

const TAGS = [
  '-metadata',
  'title=Harbour',
  '-metadata',
  'location=+52.5200+013.4050/',
  '-metadata',
  'creation_time=2021-03-04T05:06:07Z',
]

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
  const inputs = [...PICTURE, ...tone(), ...tone('mono'), '-i', texts, '-i', chapters]
  const maps = [
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-map',
    '2:a',
    '-map',
    '3:s',
    '-map_chapters',
    '4',
    '-map_metadata',
    '-1',
  ]
  const tracks = [
    ...tag('s:a:0', 'language=eng', 'title=Main'),
    ...tag('s:a:1', 'language=deu', 'title=Director'),
    ...tag('s:s:0', 'language=fra', 'title=Signs'),
    '-disposition:a:0',
    'default',
    '-disposition:a:1',
    'comment',
    '-disposition:s:0',
    'forced',
  ]
  await ffmpeg(
    ...inputs,
    ...maps,
    ...H264,
    '-c:a',
    'aac',
    '-c:s',
    subtitles,
    ...tracks,
    ...TAGS,
    ...more,
    path,
  )
}

export const VIDEO_SAMPLES: readonly Sample[] = [
  { file: 'full.mp4', make: (folder, path) => full(folder, path, 'mov_text') },
  { file: 'full.mov', make: (folder, path) => full(folder, path, 'mov_text') },
  {
    file: 'full.mkv',
    make: async (folder, path) => {
      const font = join(folder, 'font.txt')
      await writeFile(font, 'not really a font')
      await full(folder, path, 'srt', '-attach', font, '-metadata:s:t', 'mimetype=text/plain')
    },
  },
  {
    file: 'styled.mkv',
    make: async (folder, path) => {
      const [texts, plain] = [join(folder, 'styled.srt'), join(folder, 'plain.mkv')]
      await writeFile(texts, '1\n00:00:00,200 --> 00:00:01,000\n{\\an8}<i>The lights</i> go out.\n')
      await ffmpeg(...PICTURE, ...tone(), ...H264, '-c:a', 'aac', plain)
      await tool('mkvmerge', '-q', '-o', path, '--language', '1:pt-BR', plain, '--language', '0:eng', texts)
    },
  },
  {
    file: 'measured.mov',
    make: async (folder, path) => {
      const plain = join(folder, 'plain.mov')
      await ffmpeg(...PICTURE, ...tone(), ...H264, '-c:a', 'aac', plain)
      await withData(plain, path, 'gpmd', [Buffer.alloc(64, 'DEVC'), Buffer.alloc(64, 'DEVC')])
    },
  },
  ...(['mov', 'mkv'] as const).map((extension) => ({
    file: `timed.${extension}`,
    make: (_folder: string, path: string) => ffmpeg(...PICTURE, ...H264, '-timecode', '01:02:03:04', path),
  })),
  {
    file: 'full.webm',
    make: (_folder, path) =>
      ffmpeg(
        ...PICTURE,
        ...tone(),
        ...tone('mono'),
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-map',
        '2:a',
        '-c:v',
        'libvpx-vp9',
        '-deadline',
        'realtime',
        '-cpu-used',
        '8',
        '-c:a',
        'libopus',
        '-metadata:s:a:0',
        'language=eng',
        '-metadata:s:a:1',
        'language=deu',
        ...TAGS,
        path,
      ),
  },
  {
    file: 'plain.avi',
    make: (_folder, path) => ffmpeg(...PICTURE, ...tone(), '-c:v', 'mpeg4', '-c:a', 'mp3', ...TAGS, path),
  },
  {
    file: 'plain.ts',
    make: (_folder, path) =>
      ffmpeg(
        ...PICTURE,
        ...tone(),
        ...tone('mono'),
        '-map',
        '0:v',
        '-map',
        '1:a',
        '-map',
        '2:a',
        ...H264,
        '-c:a',
        'aac',
        '-metadata:s:a:0',
        'language=eng',
        '-metadata:s:a:1',
        'language=deu',
        path,
      ),
  },
  {
    file: 'turned.mp4',
    make: async (folder, path) => {
      const plain = join(folder, 'plain.mp4')
      await ffmpeg(...PICTURE, ...tone('5.1'), ...H264, '-c:a', 'aac', plain)
      await ffmpeg('-display_rotation', '90', '-i', plain, '-c', 'copy', path).catch(() =>
        ffmpeg('-i', plain, '-c', 'copy', '-metadata:s:v', 'rotate=90', path),
      )
    },
  },
  {
    file: 'wide-pixels.mkv',
    make: (_folder, path) => ffmpeg(...PICTURE, '-vf', 'setsar=4/3', ...H264, path),
  },
  {
    file: 'exact.mkv',
    make: (_folder, path) =>
      ffmpeg(
        ...PICTURE,
        ...tone('5.1'),
        '-c:v',
        'ffv1',
        '-pix_fmt',
        'yuv422p10le',
        '-c:a',
        'pcm_s24le',
        path,
      ),
  },
  {
    file: 'fields.mkv',
    make: (_folder, path) =>
      ffmpeg(
        ...PICTURE,
        '-vf',
        'tinterlace=mode=interleave_top,setfield=tff',
        ...H264,
        '-flags',
        '+ilme+ildct',
        '-x264opts',
        'tff=1',
        path,
      ),
  },
  {
    file: 'alpha.mov',
    make: (_folder, path) =>
      ffmpeg(
        '-f',
        'lavfi',
        '-i',
        'testsrc2=s=128x96:r=25:d=1,format=rgba,colorchannelmixer=aa=0.5',
        '-c:v',
        'qtrle',
        path,
      ),
  },
  {
    file: 'hdr.mkv',
    make: (_folder, path) =>
      ffmpeg(
        ...PICTURE,
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        '-pix_fmt',
        'yuv420p10le',
        '-x265-params',
        'log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc',
        '-color_primaries',
        'bt2020',
        '-color_trc',
        'smpte2084',
        '-colorspace',
        'bt2020nc',
        path,
      ),
  },
]
