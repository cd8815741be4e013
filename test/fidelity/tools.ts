/** Runs tools that have nothing in common with the app's decoders. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { onPath } from '../../scripts/on-path.ts'
import { ensurePackages } from '../../scripts/system-packages.ts'

const run = promisify(execFile)

export const installTools = (): void =>
  ensurePackages('The tests of fidelity', [
    { package: 'ffmpeg', command: 'ffmpeg' },
    { package: 'imagemagick', command: 'convert-im6.q16' },
    { package: 'libavif-bin', command: 'avifenc' },
    { package: 'libheif-examples', command: 'heif-enc' },
    { package: 'libimage-exiftool-perl', command: 'exiftool' },
    { package: 'libjxl-tools', command: 'cjxl' },
    { package: 'libtiff-tools', command: 'tiffcp' },
    { package: 'mkvtoolnix', command: 'mkvmerge' },
    { package: 'webp', command: 'webpmux' },
  ])

/** @returns what the tool prints. @throws if it fails */
export async function tool(command: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, { maxBuffer: 64_000_000 })
  return stdout
}

export const magick = (...args: readonly string[]): Promise<string> =>
  tool(onPath('convert-im6.q16') === undefined ? 'magick' : 'convert-im6.q16', ...args)

export const ffmpeg = (...args: readonly string[]): Promise<string> =>
  tool('ffmpeg', '-loglevel', 'error', '-y', ...args)

export type ExifTags = Readonly<Record<string, unknown>>

/** Returns all tags by group and name, such as `IFD0:Make`. */
export async function exifTags(path: string): Promise<ExifTags> {
  // It fails for files without any metadata, but still lists them.
  const [tags] = JSON.parse(await tool('exiftool', '-json', '-G1', '-n', '-api', 'largefilesupport=1', path))
  return tags
}

/** Returns a tag of any group. */
export const tagNamed = (tags: ExifTags, ...names: readonly string[]): string | undefined => {
  const key = Object.keys(tags).find((one) => names.includes(one.slice(one.indexOf(':') + 1)))
  const value = key === undefined ? undefined : String(tags[key]).trim()
  return value === '' ? undefined : value
}

export type Probe = {
  readonly streams: readonly {
    readonly codec_type: string
    readonly codec_name?: string
    readonly codec_tag_string?: string
    readonly width?: number
    readonly height?: number
    readonly sample_aspect_ratio?: string
    readonly pix_fmt?: string
    readonly field_order?: string
    readonly color_transfer?: string
    readonly avg_frame_rate?: string
    readonly channels?: number
    readonly nb_read_frames?: string
    readonly tags?: Readonly<Record<string, string>>
    readonly disposition?: Readonly<Record<string, number>>
    readonly side_data_list?: readonly Readonly<Record<string, unknown>>[]
  }[]
  readonly chapters?: readonly {
    readonly start_time: string
    readonly tags?: Readonly<Record<string, string>>
  }[]
  readonly format: { readonly duration?: string; readonly tags?: Readonly<Record<string, string>> }
  readonly packets?: readonly {
    readonly duration_time?: string
    readonly side_data_list?: readonly { readonly side_data_type?: string }[]
  }[]
}

export const probe = async (path: string, ...more: readonly string[]): Promise<Probe> =>
  JSON.parse(
    await tool(
      'ffprobe',
      '-loglevel',
      'error',
      '-of',
      'json',
      '-show_streams',
      '-show_format',
      '-show_chapters',
      ...more,
      path,
    ),
  )
