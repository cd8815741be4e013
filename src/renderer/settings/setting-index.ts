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
import { choicesWord } from './jobs-settings.tsx'
import { languageName } from './language-setting.tsx'
import { outputWords } from './output-words.ts'
import type { SettingName } from './setting-names.ts'
import { shortcutWords } from './shortcut-field.tsx'
import { neverUpdates } from './updates-setting.tsx'

type Words = { readonly t: SettingsTranslation; readonly app: App; readonly settings: Settings }

export type SettingEntry = {
  readonly place: SettingsPage | NamedSubpage
  /** Selector of the control. */
  readonly control: string
  readonly label: (t: SettingsTranslation) => string
  readonly hint?: (t: SettingsTranslation) => string
  /** The current value in words. Missing for a setting that is on or off, and for an action. */
  readonly value?: (words: Words) => string
  /** Whether the page shows it now; missing if it always does. */
  readonly isShown?: (app: App) => boolean
}

const isExternal = ({ state }: App): boolean => state.connection.value.kind === 'external'
const isBuiltIn = ({ state }: App): boolean => state.connection.value.kind === 'builtIn'

const onOff = (isOn: boolean, { settingSearch: texts }: SettingsTranslation): string =>
  isOn ? texts.on : texts.off

const notification = (kind: keyof Settings['notifications']): SettingEntry => ({
  place: 'notifications',
  control: `#notify-${kind}`,
  label: (t) => t.notificationSettings[kind],
  value: ({ settings, t }) => onOff(settings.notifications[kind], t),
})

const condition = (kind: 'plugged' | 'between' | 'idle', label: SettingEntry['label']): SettingEntry => ({
  place: 'quiet',
  control: `#quiet-${kind}`,
  label,
  value: ({ settings, t }) => onOff(settings.quiet[kind], t),
})

/** All settings by name. A missing setting is a compile-time error. */
export const SETTING_INDEX: Readonly<Record<SettingName, SettingEntry>> = {
  language: {
    place: 'general',
    control: '#language',
    label: (t) => t.generalSettings.language,
    value: ({ settings, t }) =>
      settings.language === 'system' ? t.generalSettings.system : languageName(settings.language),
  },
  appearance: {
    place: 'general',
    control: '#appearance input:checked',
    label: (t) => t.generalSettings.appearance,
    value: ({ settings, t }) => t.generalSettings[settings.appearance],
  },
  startAtLogin: {
    place: 'general',
    control: '#startAtLogin',
    label: (t) => t.generalSettings.startAtLogin,
    hint: (t) => t.generalSettings.startAtLoginHint,
  },
  closeToTray: {
    place: 'general',
    control: '#closeToTray',
    label: (t) => t.generalSettings.closeToTray,
    hint: (t) => t.generalSettings.closeToTrayHint,
  },
  showTray: {
    place: 'general',
    control: '#showTray',
    label: (t) => t.generalSettings.showTray,
    hint: (t) => t.generalSettings.showTrayHint,
  },
  globalShortcut: {
    place: 'general',
    control: '#shortcut',
    label: (t) => t.generalSettings.shortcut,
    hint: (t) => t.generalSettings.shortcutHint,
    value: ({ settings, t }) => shortcutWords(settings.globalShortcut, t),
  },
  notificationsDone: { ...notification('done'), hint: (t) => t.notificationSettings.doneHint },
  notificationsProblems: notification('problems'),
  notificationsFailed: notification('failed'),
  notificationsDrive: notification('drive'),
  notificationsService: { ...notification('service'), hint: (t) => t.notificationSettings.serviceHint },
  notificationsWatch: notification('watch'),
  defaultPresets: {
    place: 'jobs',
    control: '#default-preset',
    label: (t) => t.jobsSettings.startWith,
    hint: (t) => t.jobsSettings.startWithHint,
    value: ({ settings: { defaultPresets: names }, t }) =>
      names === null ? t.jobsSettings.lastChoice : presetTitles(names, t),
  },
  newJobChoices: {
    place: 'jobs',
    control: '#newJobChoices input:checked',
    label: (t) => t.jobsSettings.choices,
    hint: (t) => t.jobsSettings.choicesHint,
    value: ({ settings, t }) => choicesWord(settings.newJobChoices, t),
    isShown: usesBuiltIn,
  },
  defaultOutput: {
    place: 'jobs',
    control: '#default-output',
    label: (t) => t.newJob.saveTo,
    value: outputWords,
  },
  doneFiles: {
    place: 'jobs',
    control: '#doneFiles input:checked',
    label: (t) => t.jobsSettings.done,
    hint: (t) => t.jobsSettings.doneHint,
    value: ({ settings, t }) => t.jobsSettings[settings.doneFiles === 'skip' ? 'skipDone' : 'doAgain'],
  },
  quickDrop: {
    place: 'jobs',
    control: '[name="quick-drop"]:checked',
    label: (t) => t.jobsSettings.dropped,
    hint: ({ jobsSettings: texts }) => `${texts.askHint} ${texts.atOnceHint}`,
    value: ({ settings, t }) => t.jobsSettings[settings.quickDrop === 'ask' ? 'ask' : 'atOnce'],
  },
  starredPresets: {
    place: 'presets',
    control: '[data-preset], .subpage-link',
    label: (t) => t.settingSearch.starred,
    value: ({ settings, t }) => t.listed(settings.starredPresets),
    isShown: usesBuiltIn,
  },
  watchFolders: {
    place: 'automation',
    control: '#add-watched-folder',
    label: (t) => t.subpages.folders,
    hint: (t) => t.watchSettings.intro,
    value: ({ settings, app, t }) =>
      t.listed(settings.watchFolders.map(({ path }) => shortPath(path, app.facts.homeFolder))),
  },
  whenDone: {
    place: 'automation',
    control: '#when-done',
    label: (t) => t.generalSettings.whenDone,
    value: ({ settings, t }) => t.generalSettings[settings.whenDone],
  },
  keepAwake: { place: 'automation', control: '#keepAwake', label: (t) => t.generalSettings.keepAwake },
  quietPlugged: {
    ...condition('plugged', (t) => t.quiet.plugged),
    isShown: ({ state }) => state.quiet.value.abilities.battery !== 'none',
  },
  quietBetween: condition('between', (t) => `${t.quiet.between}…`),
  quietIdle: {
    ...condition('idle', (t) => `${t.quiet.idle}…`),
    isShown: ({ state }) => state.quiet.value.abilities.idle,
  },
  leaveRoom: {
    place: 'quiet',
    control: '#leaveRoom',
    label: (t) => t.quiet.leaveRoom,
    hint: (t) => t.quiet.leaveRoomHint,
    isShown: isBuiltIn,
  },
  outboxPaused: {
    place: 'quiet',
    control: '#pause button',
    label: (t) => t.pause.pause,
    hint: (t) => t.quiet.pauseHint,
  },
  afterJobProgram: {
    place: 'afterJob',
    control: '#hook-program',
    label: (t) => t.afterJob.program,
    hint: (t) => t.afterJob.programHint,
    value: ({ settings: { afterJob }, t }) =>
      afterJob.program === null ? t.afterJob.noProgram : baseName(afterJob.program),
  },
  afterJobUrl: {
    place: 'afterJob',
    control: '#hook-url',
    label: (t) => t.afterJob.url,
    hint: (t) => t.afterJob.urlHint,
    value: ({ settings: { afterJob }, t }) => afterJob.url ?? t.summaries.off,
  },
  afterJobOn: {
    place: 'afterJob',
    control: '#hook-outcome-done',
    label: (t) => t.afterJob.outcomes,
    value: ({ settings: { afterJob }, t }) =>
      t.listed(outcomesOf(afterJob).map((outcome) => t.afterJob[OUTCOME_TEXTS[outcome]])),
  },
  receivers: {
    place: 'afterJob',
    control: '#add-receiver',
    label: (t) => t.receivers.title,
    hint: (t) => t.receivers.hint,
    value: ({ settings: { receivers }, t }) => t.listed(receivers.map(receiverName)) || t.summaries.off,
  },
  vault: {
    place: 'originals',
    control: '#keep-originals',
    label: (t) => t.vaultSettings.title,
    hint: ({ vaultSettings: texts }) => `${texts.empty} ${texts.restoreFolder} ${texts.restoreFolderHint}`,
  },
  keepOriginalsDays: {
    place: 'originals',
    control: '#keep-originals',
    label: (t) => t.vaultSettings.keepFor,
    value: ({ settings: { keepOriginalsDays: count }, t }) =>
      count === null ? t.vaultSettings.forever : t.generalSettings.days({ count }),
  },
  history: {
    place: 'originals',
    control: '#clear-history',
    label: (t) => t.generalSettings.history,
    hint: ({ generalSettings: texts }) => `${texts.saveHistory} ${texts.clearHistory}`,
  },
  keepHistoryDays: {
    place: 'originals',
    control: '#keep-history',
    label: (t) => t.generalSettings.keepFor,
    value: ({ settings: { keepHistoryDays: count }, t }) =>
      count === null ? t.generalSettings.always : t.generalSettings.days({ count }),
  },
  showSpaceSaved: {
    place: 'originals',
    control: '#showSpaceSaved',
    label: (t) => t.generalSettings.showSpaceSaved,
  },
  connection: {
    place: 'service',
    control: '[name="connection"]:checked',
    label: (t) => t.subpages.service,
    hint: ({ connectionSettings: texts }) => `${texts.onThisComputerHint} ${texts.builtInHint}`,
    value: ({ app, settings, t }) => serviceNameOf(serviceIdOf(app.state.connection.value), settings, t),
  },
  baseUrl: {
    place: 'service',
    control: '#service-address',
    label: (t) => t.firstRun.address,
    hint: (t) => t.firstRun.apiKey,
    value: ({ settings }) => settings.baseUrl,
    isShown: isExternal,
  },
  otherServices: {
    place: 'service',
    control: '#other-services',
    label: (t) => t.connectionSettings.others,
    hint: (t) => t.connectionSettings.othersHint,
    value: ({ settings, t }) =>
      t.listed(settings.otherServices.map(({ service }) => serviceNameOf(service, settings, t))),
  },
  seesFiles: {
    place: 'service',
    control: '#seesFiles',
    label: (t) => t.connectionSettings.seesFiles,
    hint: (t) => t.connectionSettings.seesFilesHint,
    isShown: isExternal,
  },
  strictVersion: {
    place: 'service',
    control: '#strictVersion',
    label: (t) => t.connectionSettings.strict({ known: API_VERSION }),
    hint: (t) => t.connectionSettings.strictHint,
    isShown: isExternal,
  },
  rclonePath: {
    place: 'service',
    control: 'select#drive-remote, #drive-remote button',
    label: (t) => t.connectionSettings.drive,
    hint: (t) => t.connectionSettings.driveHint,
    isShown: isBuiltIn,
  },
  assistantsEnabled: {
    place: 'assistants',
    control: '#assistants',
    label: (t) => t.assistants.allow,
    hint: (t) => t.assistants.allowHint,
    value: ({ settings, t }) => onOff(settings.assistants.enabled, t),
  },
  assistantsFolders: {
    place: 'assistants',
    control: '#add-assistants-folder',
    label: (t) => t.assistants.folders,
    value: ({ settings, app, t }) =>
      t.listed(settings.assistants.folders.map(({ path }) => shortPath(path, app.facts.homeFolder))),
    isShown: ({ state }) => state.settings.value.assistants.enabled,
  },
  clipboardShortcut: {
    place: 'clipboard',
    control: '#clipboard-shortcut',
    label: (t) => t.settingSearch.clipboardShortcut,
    hint: (t) => t.jobsSettings.clipboardHint,
    value: ({ settings, t }) => shortcutWords(settings.clipboardShortcut, t),
  },
  clipboardPreset: {
    place: 'clipboard',
    control: '#clipboard-preset',
    label: (t) => t.settingSearch.clipboardPreset,
    value: ({ app, settings, t }) => presetName(clipboardPreset(settings, app.state.connection.value), t),
  },
  clipboardAutomatic: {
    place: 'clipboard',
    control: '#clipboardAutomatic',
    label: (t) => t.jobsSettings.clipboardAutomatic,
    hint: (t) => t.jobsSettings.clipboardAutomaticHint,
    isShown: ({ facts }) => !facts.desktopBindsShortcuts,
  },
  clipboardIgnoredApps: {
    place: 'clipboard',
    control: '#ignored-apps',
    label: (t) => t.jobsSettings.ignoredApps,
    hint: (t) => t.jobsSettings.ignoredAppsHint,
    value: ({ settings, t }) => t.listed(settings.clipboardIgnoredApps),
    isShown: ({ facts, state }) => state.settings.value.clipboardAutomatic && !facts.desktopBindsShortcuts,
  },
  grouping: {
    place: 'advanced',
    control: '#grouping input:checked',
    label: (t) => t.jobsSettings.several,
    value: ({ settings, t }) => t.newJob[settings.grouping],
  },
  interrupted: {
    place: 'advanced',
    control: '#interrupted input:checked',
    label: (t) => t.jobsSettings.interrupted,
    value: ({ settings, t }) => t.jobsSettings[settings.interrupted === 'ask' ? 'askFirst' : 'resume'],
  },
  checkForUpdates: {
    place: 'advanced',
    control: '#checkForUpdates',
    label: (t) => t.generalSettings.updates,
    hint: (t) => t.generalSettings.updateState,
    isShown: ({ state }) => !neverUpdates(state.update.value),
  },
  settingsFile: {
    place: 'advanced',
    control: '#export-settings',
    label: (t) => t.settingsFile.title,
    hint: ({ settingsFile: texts }) => `${texts.hint} ${texts.export} ${texts.import}`,
  },
  diagnostics: {
    place: 'advanced',
    control: '#diagnostics',
    label: (t) => t.connectionSettings.diagnostics,
    hint: (t) => t.connectionSettings.diagnosticsHint,
  },
  licenses: {
    place: 'about',
    control: '#licenses',
    label: (t) => t.subpages.about,
    hint: (t) => t.generalSettings.licences,
  },
}
