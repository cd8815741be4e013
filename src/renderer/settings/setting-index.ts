/** Every setting, where it is, and what the search compares. */
import { shortPath, serviceNameOf } from '../../shared/i18n/names.ts'
import { presetName, presetTitles } from '../../shared/i18n/sentences.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { API_VERSION } from '../../shared/api/limits.ts'
import { outcomesOf } from '../../shared/model/after-job.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import { clipboardPreset, type Settings } from '../../shared/model/settings.ts'
import { receiverName } from '../../shared/model/receiver.ts'
import { baseName } from '../../shared/paths.ts'
import type { App } from '../store/app.ts'
import type { NamedSubpage, SettingsPage } from '../store/route.ts'
import { usesBuiltIn } from '../store/services.ts'
import { OUTCOME_TEXTS } from './hook-fields.tsx'
import { choicesWords } from './jobs-settings.tsx'
import { languageName } from './language-setting.tsx'
import type { SettingName } from './setting-names.ts'
import { shortcutWords } from './shortcut-field.tsx'
import { neverUpdates } from './updates-setting.tsx'

type Words = { readonly t: SettingsTranslation; readonly app: App; readonly settings: Settings }

export type SettingEntry = {
  readonly place: SettingsPage | NamedSubpage
  /** Selector of the control. */
  readonly control: string
  /** The name and the explanations. */
  readonly texts: (t: SettingsTranslation) => readonly [label: string, ...hints: readonly string[]]
  /** The current value in words. If missing, the search shows on or off for a boolean setting, and nothing for others. */
  readonly value?: (words: Words) => string
  /** Whether the page shows it now; missing if it always does. */
  readonly isShown?: (app: App) => boolean
}

type Entry = Omit<SettingEntry, 'place'>

const isExternal = ({ state }: App): boolean => state.connection.value.kind === 'external'
const isBuiltIn = ({ state }: App): boolean => state.connection.value.kind === 'builtIn'

const onOff = (isOn: boolean, { settingSearch: texts }: SettingsTranslation): string =>
  isOn ? texts.on : texts.off

const notification = (
  kind: keyof Settings['notifications'],
  ...hints: ('doneHint' | 'serviceHint')[]
): Entry => ({
  control: `#notify-${kind}`,
  texts: ({ notificationSettings: t }) => [t[kind], ...hints.map((hint) => t[hint])],
  value: ({ settings, t }) => onOff(settings.notifications[kind], t),
})

const condition = (kind: 'plugged' | 'between' | 'idle', texts: Entry['texts']): Entry => ({
  control: `#quiet-${kind}`,
  texts,
  value: ({ settings, t }) => onOff(settings.quiet[kind], t),
})

/** Returns the settings of a page or a subpage. */
const onPage = <Name extends SettingName>(
  place: SettingEntry['place'],
  entries: Readonly<Record<Name, Entry>>,
): Readonly<Record<Name, SettingEntry>> =>
  Object.fromEntries(
    Object.entries<Entry>(entries).map(([name, entry]) => [name, { place, ...entry }]),
  ) as Record<Name, SettingEntry>

/** All settings by name. A missing setting is a compile-time error. */
export const SETTING_INDEX: Readonly<Record<SettingName, SettingEntry>> = {
  ...onPage('general', {
    language: {
      control: '#language',
      texts: (t) => [t.generalSettings.language],
      value: ({ settings, t }) =>
        settings.language === 'system' ? t.generalSettings.system : languageName(settings.language),
    },
    appearance: {
      control: '#appearance input:checked',
      texts: (t) => [t.generalSettings.appearance],
      value: ({ settings, t }) => t.generalSettings[settings.appearance],
    },
    startAtLogin: {
      control: '#startAtLogin',
      texts: ({ generalSettings: t }) => [t.startAtLogin, t.startAtLoginHint],
    },
    closeToTray: {
      control: '#closeToTray',
      texts: ({ generalSettings: t }) => [t.closeToTray, t.closeToTrayHint],
    },
    showTray: { control: '#showTray', texts: ({ generalSettings: t }) => [t.showTray, t.showTrayHint] },
    globalShortcut: {
      control: '#shortcut',
      texts: ({ generalSettings: t }) => [t.shortcut, t.shortcutHint],
      value: ({ settings, t }) => shortcutWords(settings.globalShortcut, t),
    },
  }),
  ...onPage('notifications', {
    notificationsDone: notification('done', 'doneHint'),
    notificationsProblems: notification('problems'),
    notificationsFailed: notification('failed'),
    notificationsDrive: notification('drive'),
    notificationsService: notification('service', 'serviceHint'),
    notificationsWatch: notification('watch'),
  }),
  ...onPage('jobs', {
    defaultPresets: {
      control: '#default-preset',
      texts: ({ jobsSettings: t }) => [t.startWith, t.startWithHint],
      value: ({ settings: { defaultPresets: names }, t }) =>
        names === null ? t.jobsSettings.lastChoice : presetTitles(names, t),
    },
    newJobChoices: {
      control: '#newJobChoices input:checked',
      texts: ({ jobsSettings: t }) => [t.choices, t.choicesHint],
      value: ({ settings, t }) => choicesWords(t)[settings.newJobChoices],
      isShown: usesBuiltIn,
    },
    defaultOutput: { control: '#default-output', texts: (t) => [t.newJob.saveTo], value: outputWords },
    doneFiles: {
      control: '#doneFiles input:checked',
      texts: ({ jobsSettings: t }) => [t.done, t.doneHint],
      value: ({ settings, t }) => t.jobsSettings[settings.doneFiles === 'skip' ? 'skipDone' : 'doAgain'],
    },
    quickDrop: {
      control: '[name="quick-drop"]:checked',
      texts: ({ jobsSettings: t }) => [t.dropped, t.askHint, t.atOnceHint],
      value: ({ settings, t }) => t.jobsSettings[settings.quickDrop === 'ask' ? 'ask' : 'atOnce'],
    },
  }),
  ...onPage('presets', {
    starredPresets: {
      control: '[data-preset], .subpage-link',
      texts: (t) => [t.settingSearch.starred],
      value: ({ settings, t }) => t.listed(settings.starredPresets),
      isShown: usesBuiltIn,
    },
  }),
  ...onPage('automation', {
    watchFolders: {
      control: '#add-watched-folder',
      texts: (t) => [t.subpages.folders, t.watchSettings.intro],
      value: ({ settings, app, t }) =>
        t.listed(settings.watchFolders.map(({ path }) => shortPath(path, app.facts.homeFolder))),
    },
    whenDone: {
      control: '#when-done',
      texts: (t) => [t.generalSettings.whenDone],
      value: ({ settings, t }) => t.generalSettings[settings.whenDone],
    },
    keepAwake: { control: '#keepAwake', texts: (t) => [t.generalSettings.keepAwake] },
  }),
  ...onPage('quiet', {
    quietPlugged: {
      ...condition('plugged', (t) => [t.quiet.plugged]),
      isShown: ({ state }) => state.quiet.value.abilities.battery !== 'none',
    },
    quietBetween: condition('between', (t) => [`${t.quiet.between}…`]),
    quietIdle: {
      ...condition('idle', (t) => [`${t.quiet.idle}…`]),
      isShown: ({ state }) => state.quiet.value.abilities.idle,
    },
    leaveRoom: {
      control: '#leaveRoom',
      texts: ({ quiet: t }) => [t.leaveRoom, t.leaveRoomHint],
      isShown: isBuiltIn,
    },
    outboxPaused: { control: '#pause button', texts: (t) => [t.pause.pause, t.quiet.pauseHint] },
  }),
  ...onPage('afterJob', {
    afterJobProgram: {
      control: '#hook-program',
      texts: ({ afterJob: t }) => [t.program, t.programHint],
      value: ({ settings: { afterJob }, t }) =>
        afterJob.program === null ? t.afterJob.noProgram : baseName(afterJob.program),
    },
    afterJobUrl: {
      control: '#hook-url',
      texts: ({ afterJob: t }) => [t.url, t.urlHint],
      value: ({ settings: { afterJob }, t }) => afterJob.url ?? t.summaries.off,
    },
    afterJobOn: {
      control: '#hook-outcome-done',
      texts: (t) => [t.afterJob.outcomes],
      value: ({ settings: { afterJob }, t }) =>
        t.listed(outcomesOf(afterJob).map((outcome) => t.afterJob[OUTCOME_TEXTS[outcome]])),
    },
    receivers: {
      control: '#add-receiver',
      texts: ({ receivers: t }) => [t.title, t.hint],
      value: ({ settings: { receivers }, t }) =>
        t.listed(receivers.map((one) => receiverName(one, t))) || t.summaries.off,
    },
  }),
  ...onPage('originals', {
    vault: {
      control: '#keep-originals',
      texts: ({ vaultSettings: t }) => [t.title, t.empty, t.restoreFolder, t.restoreFolderHint],
    },
    keepOriginalsDays: {
      control: '#keep-originals',
      texts: (t) => [t.vaultSettings.keepFor],
      value: ({ settings: { keepOriginalsDays: count }, t }) =>
        count === null ? t.vaultSettings.forever : t.generalSettings.days({ count }),
    },
    history: {
      control: '#clear-history',
      texts: ({ generalSettings: t }) => [t.history, t.saveHistory, t.clearHistory],
    },
    keepHistoryDays: {
      control: '#keep-history',
      texts: (t) => [t.generalSettings.keepFor],
      value: ({ settings: { keepHistoryDays: count }, t }) =>
        count === null ? t.generalSettings.always : t.generalSettings.days({ count }),
    },
    showSpaceSaved: { control: '#showSpaceSaved', texts: (t) => [t.generalSettings.showSpaceSaved] },
  }),
  ...onPage('service', {
    connection: {
      control: '[name="connection"]:checked',
      texts: ({ subpages, connectionSettings: t }) => [subpages.service, t.onThisComputerHint, t.builtInHint],
      value: ({ app, settings, t }) => serviceNameOf(serviceIdOf(app.state.connection.value), settings, t),
    },
    baseUrl: {
      control: '#service-address',
      texts: ({ firstRun: t }) => [t.address, t.apiKey],
      value: ({ settings }) => settings.baseUrl,
      isShown: isExternal,
    },
    otherServices: {
      control: '#other-services',
      texts: ({ connectionSettings: t }) => [t.others, t.othersHint],
      value: ({ settings, t }) =>
        t.listed(settings.otherServices.map(({ service }) => serviceNameOf(service, settings, t))),
    },
    seesFiles: {
      control: '#seesFiles',
      texts: ({ connectionSettings: t }) => [t.seesFiles, t.seesFilesHint],
      isShown: isExternal,
    },
    strictVersion: {
      control: '#strictVersion',
      texts: (t) => [t.connectionSettings.strict({ known: API_VERSION }), t.connectionSettings.strictHint],
      isShown: isExternal,
    },
    rclonePath: {
      control: 'select#drive-remote, #drive-remote button',
      texts: ({ connectionSettings: t }) => [t.drive, t.driveHint],
      isShown: isBuiltIn,
    },
  }),
  ...onPage('assistants', {
    assistantsEnabled: {
      control: '#assistants',
      texts: ({ assistants: t }) => [t.allow, t.allowHint],
      value: ({ settings, t }) => onOff(settings.assistants.enabled, t),
    },
    assistantsFolders: {
      control: '#add-assistants-folder',
      texts: (t) => [t.assistants.folders],
      value: ({ settings, app, t }) =>
        t.listed(settings.assistants.folders.map(({ path }) => shortPath(path, app.facts.homeFolder))),
      isShown: ({ state }) => state.settings.value.assistants.enabled,
    },
  }),
  ...onPage('clipboard', {
    clipboardShortcut: {
      control: '#clipboard-shortcut',
      texts: (t) => [t.settingSearch.clipboardShortcut, t.jobsSettings.clipboardHint],
      value: ({ settings, t }) => shortcutWords(settings.clipboardShortcut, t),
    },
    clipboardPreset: {
      control: '#clipboard-preset',
      texts: (t) => [t.settingSearch.clipboardPreset],
      value: ({ app, settings, t }) => presetName(clipboardPreset(settings, app.state.connection.value), t),
    },
    clipboardAutomatic: {
      control: '#clipboardAutomatic',
      texts: ({ jobsSettings: t }) => [t.clipboardAutomatic, t.clipboardAutomaticHint],
      isShown: ({ facts }) => !facts.desktopBindsShortcuts,
    },
    clipboardIgnoredApps: {
      control: '#ignored-apps',
      texts: ({ jobsSettings: t }) => [t.ignoredApps, t.ignoredAppsHint],
      value: ({ settings, t }) => t.listed(settings.clipboardIgnoredApps),
      isShown: ({ facts, state }) => state.settings.value.clipboardAutomatic && !facts.desktopBindsShortcuts,
    },
  }),
  ...onPage('advanced', {
    grouping: {
      control: '#grouping input:checked',
      texts: (t) => [t.jobsSettings.several],
      value: ({ settings, t }) => t.newJob[settings.grouping],
    },
    interrupted: {
      control: '#interrupted input:checked',
      texts: (t) => [t.jobsSettings.interrupted],
      value: ({ settings, t }) => t.jobsSettings[settings.interrupted === 'ask' ? 'askFirst' : 'resume'],
    },
    checkForUpdates: {
      control: '#checkForUpdates',
      texts: ({ generalSettings: t }) => [t.updates, t.updateState],
      isShown: ({ state }) => !neverUpdates(state.update.value),
    },
    settingsFile: {
      control: '#export-settings',
      texts: ({ settingsFile: t }) => [t.title, t.hint, t.export, t.import],
    },
    diagnostics: {
      control: '#diagnostics',
      texts: ({ connectionSettings: t }) => [t.diagnostics, t.diagnosticsHint],
    },
  }),
  ...onPage('about', {
    licenses: { control: '#licenses', texts: (t) => [t.subpages.about, t.generalSettings.licences] },
  }),
}

function outputWords({ settings, app, t }: Words): string {
  const output = settings.defaultOriginals ?? settings.defaultOutput
  if (output === null) return t.newJob.automaticFolder
  if (output.kind === 'folder') return shortPath(output.path, app.facts.homeFolder)
  if (output.kind === 'drive') return t.outputs.driveTarget
  return output.kind === 'replace' ? t.outputs.replaceOriginals : t.outputs.nextToOriginals
}
