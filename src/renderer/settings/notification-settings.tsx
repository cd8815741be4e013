import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { SwitchSetting } from './setting.tsx'

const KINDS = ['done', 'problems', 'failed', 'drive', 'service', 'watch'] as const

export function NotificationSettings() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.notificationSettings
  const { notifications } = app.state.settings.value
  const hints: Partial<Record<(typeof KINDS)[number], string>> = {
    done: texts.doneHint,
    service: texts.serviceHint,
  }
  return (
    <>
      {KINDS.map((kind) => {
        const hint = hints[kind]
        return (
          <SwitchSetting
            key={kind}
            id={`notify-${kind}`}
            label={texts[kind]}
            {...(hint === undefined ? {} : { hint })}
            on={notifications[kind]}
            onChange={(on) =>
              void app.attempt(
                app.bridge.settings.update({ notifications: { ...notifications, [kind]: on } }),
              )
            }
          />
        )
      })}
      <p class="note calm apart">
        <Icon name="bell" />
        <span>{texts.silent}</span>
      </p>
    </>
  )
}
