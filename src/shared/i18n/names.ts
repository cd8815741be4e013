/** Display names of jobs and files. Names keep their extensions. */
import { addressOf } from '../model/connection.ts'
import type { PartTitle } from '../model/job.ts'
import { shownText } from '../paths.ts'
import type { CommonTranslation } from './i18n.ts'

/** "DSC_4821.heic + 23 more", "harbour-walk.mp4", "Drive folder 1Zq8…mUd" */
export function jobName(
  work: Pick<PartTitle, 'name' | 'files' | 'driveInput'>,
  t: CommonTranslation,
): string {
  if (work.driveInput !== null) return t.name.driveFolder({ id: shownText(shortId(work.driveInput)) })
  const more = (work.files ?? 1) - 1
  const name = shownText(work.name)
  return more > 0 ? `${name} ${t.name.more({ count: more })}` : name
}

/** Returns the user's name for a service; without a name, its host and port, or the name of the built-in service. */
export function serviceNameOf(
  service: string,
  { serviceNames }: { readonly serviceNames: Readonly<Record<string, string>> },
  t: CommonTranslation,
): string {
  const own = serviceNames[service]
  if (own !== undefined) return shownText(own)
  if (service === 'builtIn') return t.connection.builtIn
  return addressOf(service)
}

/** "1Zq8…mUd" */
export const shortId = (id: string): string => (id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-3)}`)

/** "24 photos", "1 video"; "3 files" for a mixed or unknown set; null if the number isn't known. */
export function contentCount(
  work: Pick<PartTitle, 'photos' | 'videos' | 'files'>,
  t: CommonTranslation,
): string | null {
  if (work.files === null) return null
  if (work.photos === work.files) return t.count.photos({ count: work.photos })
  if (work.videos === work.files) return t.count.videos({ count: work.videos })
  return t.count.files({ count: work.files })
}

/** Shortens `/home/ada/Pictures/Web` to `~/Pictures/Web`. */
export function shortPath(path: string, homeFolder: string): string {
  const home = homeFolder.replace(/[/\\]$/, '')
  if (home === '' || !path.startsWith(home)) return path
  const rest = path.slice(home.length)
  return rest === '' || /^[/\\]/.test(rest) ? `~${rest}` : path
}
