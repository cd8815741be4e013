/** Lists the changes of an import, in the words of the settings' pages. */
import type { RuleTranslation, SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { serviceNameOf, shortPath } from '../../shared/i18n/names.ts'
import type { FolderRules } from '../../shared/model/folder-rules.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { SettingsImportView } from '../../shared/model/settings-import.ts'
import type { WatchFolder } from '../../shared/model/watch-folder.ts'
import type { App } from '../store/app.ts'
import { isSettingsPage, pageOf, SETTINGS_PAGES, type SettingsPage } from '../store/route.ts'
import { afterJobSummary } from './after-job-settings.tsx'
import { notificationSummary } from './notification-settings.tsx'
import { quietConditions } from './quiet-settings.tsx'
import { actionSummary, restName, summaryOf } from './rule-summary.ts'
import { SETTING_INDEX, type SettingEntry } from './setting-index.ts'

export type ImportRow = {
  readonly label: string
  readonly now: string
  readonly next: string
  /** Whether `next` names a folder that doesn't exist on this computer. */
  readonly isMissing?: boolean
}

export type ImportedPage = {
  readonly page: SettingsPage
  readonly rows: readonly ImportRow[]
  /** How many rows each setting has. */
  readonly counts: ReadonlyMap<string, number>
}

/** `rules` is null while the texts of rules are loading. */
type Words = { readonly t: SettingsTranslation; readonly rules: RuleTranslation | null }
type Change = SettingsImportView['changes'][number]
/** `now` contains the current settings, and `next` the settings after the import. */
type Context = Words & {
  readonly app: App
  readonly now: Settings
  readonly next: Settings
  readonly found: SettingsImportView
}
type PageRows = { readonly page: SettingsPage; readonly rows: readonly ImportRow[] }

/** Returns the pages with changes, in the order of the pages. */
export function importedPages(app: App, words: Words, found: SettingsImportView): readonly ImportedPage[] {
  const now = app.state.settings.value
  // The main process has parsed each value with the schema of its setting.
  const changed = Object.fromEntries(found.changes.map(({ name, next }) => [name, next]))
  const context = { ...words, app, now, next: { ...now, ...changed }, found }
  const parts = found.changes.map((change) => ({ name: change.name, ...rowsOf(change, context) }))
  return SETTINGS_PAGES.map((page) => {
    const here = parts.filter((part) => part.page === page)
    const rows = here.flatMap((part) => part.rows)
    return {
      page,
      rows: page === 'presets' ? [...rows, ...presetRows(context)] : rows,
      counts: new Map(here.map((part) => [part.name, part.rows.length])),
    }
  }).filter(({ rows }) => rows.length > 0)
}

function rowsOf({ name, now, next }: Change, context: Context): PageRows {
  const { t } = context
  switch (name) {
    case 'notifications':
      return inWords('general', t.subpages.notifications, context, (one) => notificationSummary(one, t))
    case 'quiet':
      return inWords('automation', t.subpages.quiet, context, (one) => quietConditions(one, t))
    case 'afterJob':
      return inWords('automation', t.subpages.afterJob, context, ({ afterJob }) =>
        afterJobSummary({ afterJob, receivers: [] }, t),
      )
    case 'assistants':
      return inWords('advanced', t.subpages.assistants, context, ({ assistants: { folders } }) =>
        t.summaries.folders({ count: folders.length }),
      )
    case 'connection':
      return inWords('advanced', t.subpages.service, context, (one) =>
        serviceNameOf(one.connection === 'external' ? one.baseUrl : 'builtIn', one, t),
      )
    case 'baseUrl':
      // With the built-in service, the address isn't used.
      return context.next.connection === 'external' ? entryRow(name, context) : none('advanced')
    case 'watchFolders':
      return { page: 'automation', rows: folderRows(context) }
    case 'folderRules':
      return { page: 'automation', rows: ruleRows(context) }
    case 'defaultOriginals':
      // The row of `defaultOutput` shows this setting, too.
      return context.found.changes.some((one) => one.name === 'defaultOutput')
        ? none('jobs')
        : entryRow('defaultOutput', context)
    case 'defaultOutput': {
      const { page, rows } = entryRow(name, context)
      const { defaultOutput: output } = context.next
      const missing =
        output?.kind === 'folder' && context.found.missing.includes(output.path) ? output.path : undefined
      return missing === undefined
        ? { page, rows }
        : { page, rows: rows.map((row) => missingRow(row.label, row.now, missing, context)) }
    }
    default:
      return entryRow(
        name,
        context,
        typeof now === 'boolean' && typeof next === 'boolean' ? { now, next } : undefined,
      )
  }
}

const none = (page: SettingsPage): PageRows => ({ page, rows: [] })

function inWords(
  page: SettingsPage,
  label: string,
  { now, next, t }: Context,
  words: (settings: Settings) => string,
): PageRows {
  const row = { label, now: words(now), next: words(next) }
  // If the texts are equal, they omit what changed, such as an outcome.
  return { page, rows: [row.now === row.next ? { ...row, next: t.settingsFile.changed } : row] }
}

/** Returns the row of a setting; a general row for a setting that no page shows. */
function entryRow(
  name: string,
  context: Context,
  flags?: { readonly now: boolean; readonly next: boolean },
): PageRows {
  const { app, t } = context
  const entries: Readonly<Record<string, SettingEntry | undefined>> = SETTING_INDEX
  const entry = entries[name]
  const { settingsFile: texts, settingSearch } = t
  if (entry === undefined)
    return { page: 'jobs', rows: [{ label: texts.others, now: '', next: texts.changed }] }
  const [label] = entry.texts(t)
  const page = isSettingsPage(entry.place) ? entry.place : pageOf(entry.place)
  const words = (settings: Settings): string => entry.value?.({ app, t, settings }) || texts.none
  const onOff = (isOn: boolean): string => settingSearch[isOn ? 'on' : 'off']
  return flags === undefined
    ? inWords(page, label, context, words)
    : { page, rows: [{ label, now: onOff(flags.now), next: onOff(flags.next) }] }
}

function missingRow(label: string, now: string, folder: string, { app, t }: Context): ImportRow {
  const path = shortPath(folder, app.facts.homeFolder)
  return { label, now, next: t.settingsFile.notFound({ path }), isMissing: true }
}

/** Returns a row for each watched folder that is added, removed or changed. */
function folderRows(context: Context): readonly ImportRow[] {
  const { t, now, next, found } = context
  const { settingsFile: texts } = t
  const label = texts.watchedFolder
  const removed = now.watchFolders.filter(({ id }) => !next.watchFolders.some((one) => one.id === id))
  const rows = next.watchFolders.flatMap((folder): ImportRow[] => {
    const known = now.watchFolders.find(({ id }) => id === folder.id)
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(folder)) return []
    const before = known === undefined ? texts.none : folderWords(known, context)
    const { output } = folder
    const outputs = output.kind === 'folder' ? [output.path] : []
    const missing = [folder.path, ...outputs].find((path) => found.missing.includes(path))
    if (missing !== undefined) return [missingRow(label, before, missing, context)]
    const after = folderWords(folder, context)
    // If the texts are equal, they omit what changed, such as the time for grouping.
    return [{ label, now: before, next: before === after ? texts.changed : after }]
  })
  return [
    ...rows,
    ...removed.map((folder) => ({ label, now: folderWords(folder, context), next: texts.none })),
  ]
}

/** "~/In. Web 2048, replaces the originals" */
function folderWords(folder: WatchFolder, { app, t, rules }: Context): string {
  const home = app.facts.homeFolder
  const action = { do: 'process', presets: folder.presets, output: folder.output } as const
  const sentences = [
    shortPath(folder.path, home),
    ...(folder.enabled ? [] : [t.watchSettings.off]),
    ...(rules === null ? [] : [actionSummary(action, { t, rules }, home)]),
    ...(folder.afterJob ? [afterJobSummary({ afterJob: folder.afterJob, receivers: [] }, t)] : []),
  ]
  return joined(sentences, t)
}

/** Joins sentences, without a period at the end. */
const joined = (sentences: readonly string[], t: SettingsTranslation): string =>
  sentences.reduce((first, second) => t.summaries.both({ first, second }))

/** Returns a row for each watched folder whose rules change. */
function ruleRows(context: Context): readonly ImportRow[] {
  const { app, t, now, next } = context
  const ids = new Set([...Object.keys(now.folderRules), ...Object.keys(next.folderRules)])
  return [...ids].flatMap((id): ImportRow[] => {
    const [before, after] = [now.folderRules[id], next.folderRules[id]]
    if (JSON.stringify(before) === JSON.stringify(after)) return []
    const folder = [...next.watchFolders, ...now.watchFolders].find((one) => one.id === id)
    const path = folder === undefined ? [] : [shortPath(folder.path, app.facts.homeFolder)]
    const words = (stored: FolderRules | null | undefined) =>
      joined([...path, ...rulesWords(stored, context)], t)
    const row = { label: t.settingsFile.rules, now: words(before), next: words(after) }
    return [row.now === row.next ? { ...row, next: t.settingsFile.changed } : row]
  })
}

/** "Videos larger than 1 GB: Web 2048, replaces the originals", "Everything else: Ignored" */
function rulesWords(stored: FolderRules | null | undefined, { app, t, rules }: Context): readonly string[] {
  if (stored === undefined || rules === null) return [t.settingsFile.none]
  if (stored === null) return [rules.table.unreadable]
  const words = { t, rules }
  const each = stored.rules.map(({ when, action }) =>
    t.labeled(summaryOf(when, words), actionSummary(action, words, app.facts.homeFolder)),
  )
  const rest = t.labeled(restName(stored, rules), rules.action.ignored)
  const all = stored.rest === 'ignore' ? [...each, rest] : each
  return all.length === 0 ? [t.settingsFile.none] : all
}

const presetRows = ({ t: { settingsFile: texts }, found }: Context): readonly ImportRow[] =>
  found.presets.map(({ name, isNew }) => ({
    label: texts.preset,
    now: isNew ? texts.none : name,
    next: isNew ? name : texts.changed,
  }))
