/** Moves settings between computers. */
import { EXIT } from '../../../shared/command-end.ts'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { readChosenText } from '../../../node/chosen-text.ts'
import { messageOf } from '../../../node/errors.ts'
import { isFolder } from '../../../node/exists.ts'
import { USUAL_MODE, writeWhole } from '../../../node/write-file.ts'
import {
  exportedSettings,
  importSettings as importInto,
  readSettingsImport,
  type SettingsImport,
  withoutSecrets,
} from '../../move/move.ts'
import { createPresetFiles, presetsToOffer, readPresets } from '../../presets/presets.ts'
import type { CliCommand, Context } from '../context.ts'
import { presetFolder, settingsIn } from '../environment.ts'
import { t } from '../output/language.ts'
import { endWith, notice } from '../output/events.ts'

/** Prints the settings and the presets as one file, or writes the file. */
export const exportSettings: CliCommand<{ readonly output?: string }> = async (
  { report, environment },
  { output },
) => {
  const { saved, damage } = environment.owner.readSettings()
  const { home, timing, cwd } = environment
  const from = { home, computer: hostname(), at: timing.clock() }
  const exported = exportedSettings(saved, await readPresets(presetFolder(environment)), from)
  const file = settingsIn(environment)
  if (damage !== null || 'unread' in exported) {
    const names = 'unread' in exported ? exported.unread : ['settings']
    return endWith(report, t().settingsReport.notExported({ names: t().listed(names), file }))
  }
  const { text, leftOut } = exported
  if (output === undefined) report.say({ event: 'settings', text })
  else await writeWhole(resolve(cwd, output), text, USUAL_MODE)
  if (leftOut.length > 0) report.say(notice(t().settingsReport.leftOut({ names: t().listed(leftOut) })))
  return EXIT.done
}

type ImportOptions = {
  readonly file: string
  readonly yes: boolean
  /** Addresses of new services that the user has already allowed. */
  readonly allowed: readonly string[]
  readonly isCheck: boolean
}

/**
 * Shows what a file would change, and imports it after a confirmation, unless `isCheck` is set. With `yes`, asks only about new services
 * that aren't in `allowed`.
 */
export const importSettings: CliCommand<ImportOptions> = async (context, { file, yes, allowed, isCheck }) => {
  const { report, environment } = context
  const { saved } = environment.owner.readSettings()
  const text = await readChosenText(resolve(environment.cwd, file)).catch((error: unknown) => {
    report.say(notice(t().settingsReport.notRead({ file, detail: messageOf(error) })))
  })
  if (text === undefined) return EXIT.failed
  const folder = presetFolder(environment)
  const found = await readSettingsImport(text, saved.view(), await presetsToOffer(folder), {
    home: environment.home,
    platform: environment.platform,
    isFolder,
  })
  if (found === undefined) return endWith(report, t().settingsReport.notSettings)
  sayChanges(context, found)
  const isSame = found.changes.length === 0 && found.presets.length === 0
  if (isCheck) sayNewServices(context, found.newServices)
  if (isCheck || isSame) return EXIT.done
  if (!yes && !(await agrees(context, t().settingsReport.confirm))) {
    if (environment.confirm === null) report.say(notice(t().settingsReport.useYes))
    return EXIT.failed
  }
  const { core, mainService } = environment.owner
  const { names, unsaved, unconfirmed } = await importInto(
    found,
    {
      settings: saved,
      presets: createPresetFiles(folder),
      lines: { ...mainService(saved), to: core.lines.to },
    },
    async (address) =>
      allowed.includes(address) || agrees(context, t().settingsReport.useService({ address })),
  )
  sayNewServices(context, unconfirmed)
  report.say({
    event: 'settingsImported',
    settings: names.length,
    presets: found.presets.length,
    unsaved,
  })
  return unsaved.length + unconfirmed.length === 0 ? EXIT.done : EXIT.problems
}

function sayChanges({ report }: Context, found: SettingsImport): void {
  for (const { name, now, next } of found.changes)
    report.say({ event: 'settingChange', name, ...withoutSecrets({ now, next }) })
  for (const { name, isNew } of found.presets) report.say({ event: 'presetChange', name, isNew })
  if (found.changes.length === 0 && found.presets.length === 0) report.say(notice(t().settingsReport.same))
  const { settingsReport } = t()
  const watched = new Set(found.patch.watchFolders?.map((folder) => folder.path))
  for (const path of found.missing)
    report.say(notice(settingsReport[watched.has(path) ? 'missing' : 'notFound']({ path })))
  for (const what of found.off) report.say(notice(settingsReport[what]))
  if (found.newer.length > 0) report.say(notice(settingsReport.newer({ names: t().listed(found.newer) })))
  if (found.unreadable.length > 0)
    report.say(notice(settingsReport.unreadable({ names: t().listed(found.unreadable) })))
}

function sayNewServices({ report }: Context, services: readonly string[]): void {
  for (const address of services) report.say(notice(t().settingsReport.newService({ address })))
}

const agrees = async ({ environment }: Context, question: string): Promise<boolean> =>
  environment.confirm !== null && environment.confirm(question)
