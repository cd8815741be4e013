/** Moves settings between computers. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { messageOf } from '../../../node/errors.ts'
import { isFolder } from '../../../node/exists.ts'
import { readRegularFile } from '../../../node/open-regular.ts'
import { createPresetFiles, presetsToOffer } from '../../presets/presets.ts'
import { exportedSettings, readSettingsImport, type SettingsImport } from '../../settings/settings.ts'
import type { CliCommand, Context } from '../context.ts'
import { presetFolder } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { t } from '../output/language.ts'
import { notice } from '../output/events.ts'

/** Prints the settings and the presets as one file. */
export const exportSettings: CliCommand = async ({ report, environment }) => {
  const { saved } = environment.owner.readSettings()
  const presets = await presetsToOffer(presetFolder(environment))
  const { home, timing } = environment
  const from = { home, computer: hostname(), at: timing.clock() }
  report.say({ event: 'settings', text: exportedSettings(saved.view(), presets, from) })
  return EXIT.done
}

/** Shows what a file would change, and changes it unless it is only checked. */
export const importSettings: CliCommand<{
  readonly file: string
  readonly yes: boolean
  readonly isCheck: boolean
}> = async (context, { file, yes, isCheck }) => {
  const { report, environment } = context
  const { saved } = environment.owner.readSettings()
  const text = await readRegularFile(resolve(environment.cwd, file)).catch((error: unknown) => {
    report.say(notice(t().settingsReport.notRead({ file, detail: messageOf(error) })))
  })
  if (text === undefined) return EXIT.failed
  const folder = presetFolder(environment)
  const found = await readSettingsImport(text, saved.view(), await presetsToOffer(folder), {
    home: environment.home,
    isFolder,
  })
  if (found === undefined) {
    report.say(notice(t().settingsReport.notSettings))
    return EXIT.failed
  }
  sayChanges(context, found)
  const isSame = found.changes.length === 0 && found.presets.length === 0
  if (isCheck || isSame) return EXIT.done
  if (!yes && !(await agrees(context))) return EXIT.failed
  const { unsaved } = await createPresetFiles(folder).put(found.presets)
  // Watched folders refer to presets, so the presets come first.
  saved.update(found.patch)
  report.say({
    event: 'settingsImported',
    settings: found.changes.length,
    presets: found.presets.length,
    unsaved,
  })
  return unsaved.length === 0 ? EXIT.done : EXIT.problems
}

function sayChanges({ report }: Context, found: SettingsImport): void {
  for (const change of found.changes) report.say({ event: 'settingChange', ...change })
  for (const { name, isNew } of found.presets) report.say({ event: 'presetChange', name, isNew })
  if (found.changes.length === 0 && found.presets.length === 0) report.say(notice(t().settingsReport.same))
  const { settingsReport } = t()
  for (const path of found.missing) report.say(notice(settingsReport.missing({ path })))
  for (const what of found.off) report.say(notice(settingsReport[what]))
  if (found.newer.length > 0) report.say(notice(settingsReport.newer({ names: found.newer.join(', ') })))
  if (found.unreadable.length > 0)
    report.say(notice(settingsReport.unreadable({ names: found.unreadable.join(', ') })))
}

async function agrees({ environment, report }: Context): Promise<boolean> {
  if (environment.confirm !== null) return environment.confirm(t().settingsReport.confirm)
  report.say(notice(t().settingsReport.useYes))
  return false
}
