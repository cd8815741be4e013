import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import type { Settings } from '../../shared/model/settings.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { Icon } from '../ui/icon.tsx'
import { SwitchSetting } from './setting.tsx'

const KINDS = ['done', 'problems', 'failed', 'drive', 'service', 'watch'] as const
const MANY = KINDS.length / 2

export function NotificationSettings() {
  const app = useApp()
  const texts = useSettingsTranslation().notificationSettings
  const { notifications } = app.state.settings.value
  const hints: Partial<Record<(typeof KINDS)[number], string>> = {
    done: texts.doneHint,
    service: texts.serviceHint,
  }
  return (
    <>
      {KINDS.map((kind) => (
        <SwitchSetting
          key={kind}
          id={`notify-${kind}`}
          label={texts[kind]}
          hint={hints[kind]}
          on={notifications[kind]}
          onChange={(on) => app.choose({ notifications: { ...notifications, [kind]: on } })}
        />
      ))}
      <p class="callout info spaced">
        <Icon name="bell" />
        <span>{texts.silent}</span>
      </p>
    </>
  )
}

/** "All except finished uploads to Drive" */
export function notificationSummary({ notifications }: Settings, t: SettingsTranslation): string {
  const texts = t.notificationSettings
  const off = KINDS.filter((kind) => !notifications[kind])
  if (off.length === 0) return texts.all
  if (off.length === KINDS.length) return texts.none
  const listed = (kinds: readonly (typeof KINDS)[number][]) => ({
    list: new Intl.ListFormat(t.language).format(kinds.map((kind) => t.notificationKinds[kind])),
  })
  return off.length <= MANY
    ? texts.allExcept(listed(off))
    : texts.only(listed(KINDS.filter((kind) => notifications[kind])))
}
