/** Builds the tags of MP4 and QuickTime files that FFmpeg's muxer doesn't write: those of phones, and the roles of tracks. */
import {
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DUB,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_HEARING_IMPAIRED,
  AV_DISPOSITION_VISUAL_IMPAIRED,
  type AVDisposition,
} from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import type { Container } from './container.ts'
import { uint16, uint32 } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import { setOf } from '../words.ts'

type Tags = Readonly<Record<string, string>>
type Muxer = Container['muxer']

const IN_QUICKTIME = setOf(
  'title artist author album comment date genre copyright keywords location make model encoder creation_time timecode xmp',
)
const IN_MP4 = setOf(
  'title artist album_artist composer album date comment genre copyright grouping lyrics description synopsis show episode_id network keywords episode_sort season_number media_type hd_video gapless_playback compilation track disc tmpo encoder creation_time timecode',
)

const isWritten = (name: string, muxer: Muxer): boolean =>
  (muxer === 'mov' ? IN_QUICKTIME : IN_MP4).has(name.toLowerCase())

/** Tags that are stored in QuickTime's user data. Phones and cameras also write them in MP4. */
const USER_DATA: Readonly<Record<string, string>> = {
  location: '\u00a9xyz',
  make: '\u00a9mak',
  model: '\u00a9mod',
}

const MOST_TEXT = 0xffff

export function userDataTags(tags: Tags, muxer: Muxer): readonly Buffer[] {
  return Object.entries(tags).flatMap(([name, value]) => {
    const type = USER_DATA[name.toLowerCase()]
    const text = Buffer.from(value, 'utf8')
    if (type === undefined || isWritten(name, muxer) || text.length > MOST_TEXT) return []
    return [makeBox(type, uint16(text.length, NO_LANGUAGE), text)]
  })
}

/** `und`, packed as in media headers. */
const NO_LANGUAGE = 0x55_c4

/** Returns QuickTime's metadata boxes, which allow any name, for all tags that can't be stored elsewhere. */
export function keyedTags(tags: Tags, muxer: Muxer): readonly Buffer[] {
  const rest = Object.entries(tags).filter(
    ([name]) =>
      !isWritten(name, muxer) && USER_DATA[name.toLowerCase()] === undefined && !isRepetition(name, tags),
  )
  if (rest.length === 0) return []
  const keys = rest.map(([name]) => {
    const text = Buffer.from(writtenName(name), 'utf8')
    return Buffer.concat([uint32(8 + text.length), Buffer.from('mdta'), text])
  })
  const values = rest.map(([, value], index) => {
    const data = makeBox('data', uint32(UTF8, 0), Buffer.from(value, 'utf8'))
    return Buffer.concat([uint32(8 + data.length, index + 1), data])
  })
  const handler = makeBox('hdlr', uint32(0, 0), Buffer.from('mdta'), Buffer.alloc(13))
  // Even in MP4, phones write this box as in QuickTime, without a version.
  return [
    makeBox('meta', handler, makeBox('keys', uint32(0, rest.length), ...keys), makeBox('ilst', ...values)),
  ]
}

/** Returns the tags that cameras write for a single track, such as the lens. Their names begin with a domain. */
export const cameraTags = ({ metadata }: Pick<Stream, 'metadata'>): Tags =>
  Object.fromEntries(Object.entries(metadata?.getAll() ?? {}).filter(([name]) => /^com\.\w+\./i.test(name)))

const UTF8 = 1

/** Returns whether a tag repeats another one. FFmpeg returns a tag with a language twice: `location` and `location-eng`. */
export const isRepetition = (name: string, tags: Tags): boolean =>
  /-[a-z]{3}$/.test(name) && tags[name.slice(0, -4)] === tags[name]

/** Returns a tag's name as QuickTime writes it. Matroska writes names in capitals. */
const writtenName = (name: string): string =>
  /^COM\.[A-Z]+\./.test(name) ? name.toLowerCase().replace('iso6709', 'ISO6709') : name

const SCHEME = Buffer.from('urn:mpeg:dash:role:2011\0', 'latin1')

/** Names of roles by FFmpeg's flags (ISO/IEC 23009-1, 5.8.5.5). */
const ROLES = new Map<AVDisposition, string>([
  [AV_DISPOSITION_COMMENT, 'commentary'],
  [AV_DISPOSITION_DUB, 'dub'],
  [AV_DISPOSITION_FORCED, 'forced-subtitle'],
  [AV_DISPOSITION_HEARING_IMPAIRED, 'caption'],
  [AV_DISPOSITION_VISUAL_IMPAIRED, 'description'],
])

/** Returns FFmpeg's flags of the roles that a track has. */
export const rolesOf = ({ disposition }: Stream): AVDisposition =>
  [...ROLES.keys()].reduce((roles, role) => roles | (disposition & role), 0) as AVDisposition

/** Returns boxes with the roles of a QuickTime track. In MP4, the muxer writes them. */
export function roleBoxes({ disposition }: Stream, muxer: Muxer): readonly Buffer[] {
  if (muxer !== 'mov') return []
  return [...ROLES]
    .filter(([role]) => (disposition & role) !== 0)
    .map(([, name]) => makeBox('kind', uint32(0), SCHEME, Buffer.from(`${name}\0`, 'latin1')))
}
