import { existsSync } from 'node:fs'
import type { Settings as StoredSettings } from '../settings/settings.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { Context } from './context.ts'
import { settingsIn } from './environment.ts'
import { followPath } from './follow-path.ts'
import { t } from './output/language.ts'
import { notice } from './output/events.ts'
import type { SavedSettings } from './owner-types.ts'

/** The settings that a long-running command follows. Its service and key never change. */
const FOLLOWED = [
  'otherServices',
  'watchFolders',
  'folderRules',
  'afterJob',
  'receivers',
  'quiet',
  'outboxPaused',
  'pausedUntil',
  'leaveRoom',
  'metricsFile',
  'defaultOutput',
  'keepOriginalsDays',
] as const satisfies (keyof Settings)[]

const followed = (settings: Settings): Partial<Settings> =>
  Object.fromEntries(FOLLOWED.map((name) => [name, settings[name]]))

/** Returns the names of followed settings whose values in the file can't be read, such as `quiet.from`. */
export const unreadFollowed = (settings: Pick<StoredSettings, 'unread'>): readonly string[] =>
  settings.unread().filter((name) => FOLLOWED.some((one) => one === groupOf(name)))

/** Whether the setting contains a folder's rules. Rules that can't be read hold back only the files of their folder. */
const areRules = (name: string): boolean => groupOf(name) === 'folderRules'

/**
 * Reports settings that can't be read.
 * @param otherwise what the message says about settings that aren't rules: the consequence, or what to do
 * @returns whether all of them are rules
 */
export function reportUnread(
  unread: readonly string[],
  { report, environment }: Pick<Context, 'report' | 'environment'>,
  otherwise: string,
): boolean {
  const [rules, others] = [unread.filter(areRules), unread.filter((name) => !areRules(name))]
  const file = settingsIn(environment)
  const unreadIn = t().followed[others.includes('watchFolders') ? 'unreadFolders' : 'unread']
  if (others.length > 0) report.say(notice(unreadIn({ names: t().listed(others), file, otherwise })))
  if (rules.length > 0) report.say(notice(t().followed.unreadRules({ names: t().listed(rules), file })))
  return others.length === 0
}

const groupOf = (name: string): string => name.split('.', 1)[0] ?? name

type FileTrouble = 'missing' | NonNullable<SavedSettings['damage']>

/**
 * Creates a function that applies changes made to the user's settings since its last call. Except for folder rules, a setting that can't be
 * read keeps its value: a typo must not end quiet mode or make a folder's files new.
 */
export function takingChanges(
  settings: Pick<StoredSettings, 'view' | 'update'>,
): (saved: Pick<StoredSettings, 'view' | 'unread' | 'keepOriginals'>) => void {
  let known = JSON.stringify(followed(settings.view()))
  return (saved) => {
    const kept = new Set(
      unreadFollowed(saved)
        .filter((name) => !areRules(name))
        .map(groupOf),
    )
    const taken = Object.entries(followed(saved.view())).filter(([name]) => !kept.has(name))
    const now = { ...followed(settings.view()), ...Object.fromEntries(taken) }
    if (JSON.stringify(now) === known) return
    known = JSON.stringify(now)
    const keep = saved.keepOriginals()
    settings.update({ ...now, keepOriginalsDays: keep.from === 'choice' ? keep.days : undefined })
  }
}

/**
 * Applies changes to the app's settings while a command runs, and reports settings that can't be read.
 * @returns a function that stops following
 */
export function followSettings(context: Context): () => void {
  const { timing, owner } = context.environment
  const { report } = context
  const file = settingsIn(context.environment)
  let reported = unreadFollowed(context.service.saved).join()
  let trouble: FileTrouble | null = null

  /** Reports each problem with the file once, and reports when it is fixed. */
  function note(found: FileTrouble | null): void {
    if (found === trouble) return
    trouble = found
    report.say(notice(t().followed[found ?? 'readAgain']({ file })))
  }

  function noteUnread(unread: readonly string[]): void {
    if (unread.join() !== reported) reportUnread(unread, context, t().followed.earlierApply)
    reported = unread.join()
  }

  return followPath(file, timing, {
    changed: () => void owner.readSettings(),
    stable() {
      const { saved, damage } = owner.readSettings()
      const found = damage ?? (existsSync(file) ? null : 'missing')
      note(found)
      if (found === null) noteUnread(unreadFollowed(saved))
    },
  })
}
