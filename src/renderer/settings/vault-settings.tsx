import { shortPath } from '../../shared/i18n/names.ts'
import { baseName } from '../../shared/paths.ts'
import type { VaultTotals } from '../../shared/model/replacement.ts'
import {
  useApp,
  useSettingsTranslation,
  settingsTranslation,
  type App,
  useSettingsView,
} from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { showFiltered } from '../store/navigation.ts'
import { undoFolder } from '../store/restore-originals.ts'
import { Button } from '../ui/button.tsx'
import { Setting, SettingDays } from './setting.tsx'

/** The contents of the vaults, how long they are kept, and buttons that empty the vaults or restore the originals of a folder. */
export function VaultSettings() {
  const { app, t } = useSettingsView()
  const texts = t.vaultSettings
  const [{ value: held }, read] = useRead(() => app.bridge.vault.totals(), [app.state.historyVersion.value])
  const isHeld = held !== undefined && held.files > 0
  return (
    <>
      <Setting label={texts.title} hint={held && <Held totals={held} />}>
        {isHeld && (
          <div class="control-row">
            <Button
              kind="quiet"
              label={texts.showJobs}
              onPress={() => showFiltered(app, { replaced: true })}
            />
            <Button label={texts.empty} onPress={() => askToEmpty(app, held, read)} />
          </div>
        )}
      </Setting>
      <SettingDays
        id="keep-originals"
        name="keepOriginalsDays"
        label={texts.keepFor}
        usual={[7, 30, 90, 365]}
        always={texts.forever}
      />
      {isHeld && (
        <Setting label={texts.restoreFolder} hint={texts.restoreFolderHint}>
          <Button label={texts.chooseFolder} onPress={() => void undoFolder(app).then(read)} />
        </Setting>
      )}
    </>
  )
}

function Held({ totals }: { readonly totals: VaultTotals }) {
  const app = useApp()
  const { in: inFolder, unlisted } = useSettingsTranslation().vaultSettings
  const short = (folder: string) => ({ folder: shortPath(folder, app.facts.homeFolder) })
  const lines = [
    ...totals.vaults.map((one) => inFolder(short(one))),
    ...totals.unlisted.map((one) => unlisted(short(one))),
  ]
  return (
    <>
      {totals.files === 0 && totals.unlisted.length > 0 ? null : heldSentence(app, totals)}
      {lines.map((line) => (
        <span key={line} class="block">
          {line}
        </span>
      ))}
    </>
  )
}

/** "214 files, 3.1 GB in the vaults of 2 disks. Deleted after 30 days" */
function heldSentence(app: App, { files, bytes, vaults, away }: VaultTotals): string {
  const t = settingsTranslation(app)
  const texts = t.vaultSettings
  const days = app.state.settings.value.keepOriginalsDays
  if (files === 0) return texts.nothing
  const held = texts.held({
    files: t.count.files({ count: files }),
    size: t.size(bytes),
    count: vaults.length,
  })
  const end = days === null ? texts.neverDeleted : texts.deletedAfter({ count: days })
  const all = away === 0 ? held : t.listed([held, texts.away({ count: away })])
  return `${t.sentence(all)}${t.punctuation.betweenSentences}${end}`
}

function askToEmpty(app: App, held: VaultTotals, onEmptied: () => Promise<void>): void {
  const t = settingsTranslation(app)
  const texts = t.vaultSettings
  const disks = texts.disks({ count: held.vaults.length - held.away })
  const { unrestored } = held
  const count = held.files - unrestored.length
  const size = t.size(unrestored.reduce((left, { bytes }) => left - bytes, held.bytes))
  const text = texts.emptyText({ count, size, disks })
  const files = t.listed(unrestored.map(({ path }) => baseName(path)))
  app.overlays.dialog.value = {
    kind: 'confirm',
    title: texts.emptyTitle,
    text: unrestored.length === 0 ? text : texts.unrestored({ count: unrestored.length, text, files }),
    verb: texts.emptyVerb,
    run: () => void app.attempt(app.bridge.vault.empty()).then(onEmptied),
  }
}
