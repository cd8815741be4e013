import { connectionLine } from '../../shared/i18n/sentences.ts'
import { useApp, useTranslation, withModifier } from '../store/app.ts'
import { showSettings } from '../store/navigation.ts'
import { IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import type { ConnectionState } from '../../shared/model/connection.ts'

const SIGNS: Readonly<Record<ConnectionState['status'], readonly [IconName, string]>> = {
  online: ['dot', 'good'],
  connecting: ['queue', ''],
  unconfigured: ['off', ''],
  keyRefused: ['key', 'bad'],
  offline: ['off', 'warn'],
  wrongVersion: ['warn', 'warn'],
}

/** At the foot of the list: which service there is, and the way to the settings. */
export function ConnectionLine() {
  const app = useApp()
  const t = useTranslation()
  const connection = app.state.connection.value
  const paused = app.state.outboxPaused.value
  const [icon, tone] = SIGNS[connection.state.status]
  return (
    <footer class="foot">
      <span class="connection" role="status">
        <Icon name={paused ? 'stop' : icon} class={`sign ${paused ? '' : tone}`} />
        <span class="clip">{paused ? t.sending.paused : connectionLine(connection, t)}</span>
      </span>
      {paused && (
        <LinkButton label={t.sending.resume} onPress={() => void app.attempt(app.bridge.outbox.resume())} />
      )}
      <IconButton
        icon="gear"
        label={t.list.settings({ keys: withModifier(app.facts, ',') })}
        onPress={() => showSettings(app)}
      />
    </footer>
  )
}
