/** How work is called. Names keep their endings. */
import type { WorkTitle } from '../model/work.ts'
import type { CommonTranslation } from './i18n.ts'

/** "DSC_4821.heic + 23 more", "harbour-walk.mp4", "Drive folder 1Zq8…mUd" */
export function workName(
  work: Pick<WorkTitle, 'name' | 'files' | 'driveInput'>,
  t: CommonTranslation,
): string {
  if (work.driveInput !== null) return t.name.driveFolder({ id: shortId(work.driveInput) })
  const more = (work.files ?? 1) - 1
  return more > 0 ? `${work.name} ${t.name.more({ count: more })}` : work.name
}

/** "1Zq8…mUd" */
export const shortId = (id: string): string => (id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-3)}`)

/** As people count them: an accent or a family of emoji is one with what it belongs to. */
const segmenter = new Intl.Segmenter()
const charactersOf = (text: string): string[] =>
  // Most names are plain, and each of these is a character of its own.
  /^[ -~]*$/.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment)

export const firstCharacters = (text: string, count: number): string =>
  text.length <= count ? text : charactersOf(text).slice(0, count).join('')

/** The last seven characters stay when a name is cut; the head shrinks. */
export function splitName(name: string): { readonly head: string; readonly tail: string } {
  const characters = charactersOf(name)
  const cut = Math.max(1, characters.length - 7)
  return { head: characters.slice(0, cut).join(''), tail: characters.slice(cut).join('') }
}

/** "24 photos", "1 video", "3 files" for a mixed set or one that nobody has looked into. */
export function contentCount(
  work: Pick<WorkTitle, 'photos' | 'videos' | 'files'>,
  t: CommonTranslation,
): string | null {
  if (work.files === null) return null
  if (work.photos === work.files) return t.count.photos({ count: work.photos })
  if (work.videos === work.files) return t.count.videos({ count: work.videos })
  return t.count.files({ count: work.files })
}

/** `/home/ada/Pictures/Web` as `~/Pictures/Web`. */
export function shortPath(path: string, homeFolder: string): string {
  const home = homeFolder.replace(/[/\\]$/, '')
  if (home === '' || !path.startsWith(home)) return path
  const rest = path.slice(home.length)
  return rest === '' || /^[/\\]/.test(rest) ? `~${rest}` : path
}
