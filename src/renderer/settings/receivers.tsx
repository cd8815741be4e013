import { outcomesOf } from '../../shared/model/after-job.ts'
import type { HookStatus } from '../../shared/model/hook-state.ts'
import { receiverName, type Receiver } from '../../shared/model/receiver.ts'
import {
  settingsTranslation,
  useApp,
  useSettingsTranslation,
  type App,
  useSettingsView,
} from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { LastTry } from './last-try.tsx'
import { Setting } from './setting.tsx'

const UNUSED = { isRunning: false, last: null } as const

/** The receivers of a message after each job, and whether the last message was sent. */
export function Receivers() {
  const app = useApp()
  const texts = useSettingsTranslation().receivers
  const { receivers } = app.state.settings.value
  const version = app.state.historyVersion.value
  const [statuses, read] = useRead(() => app.bridge.receivers.status(), [version, receivers])
  return (
    <>
      <Setting label={texts.title} hint={texts.hint}>
        <Button id="add-receiver" label={texts.add} onPress={() => openDialog(app, null)} />
      </Setting>
      {receivers.map((receiver) => (
        <ReceiverRow
          key={receiver.id}
          receiver={receiver}
          status={statuses.value?.[receiver.id] ?? UNUSED}
          onTried={read}
        />
      ))}
    </>
  )
}

function ReceiverRow(props: {
  readonly receiver: Receiver
  readonly status: HookStatus
  readonly onTried: () => Promise<void>
}) {
  const { receiver, status, onTried } = props
  const { app, t } = useSettingsView()
  const name = receiverName(receiver, t)
  const isOff = outcomesOf(receiver).length === 0
  return (
    <Setting stacked label={name} hint={isOff ? t.summaries.off : undefined}>
      <div class="control-row">
        <LastTry
          status={status}
          running={t.afterJob.runningUrl}
          test={{
            name: t.receivers.testNamed({ name }),
            run: () => app.bridge.receivers.test(receiver.id),
          }}
          tryNow={() => app.bridge.receivers.tryNow(receiver.id)}
          onTried={onTried}
        />
        <IconButton
          icon="more"
          label={t.receivers.moreFor({ name })}
          onMenu={(button) => openMenu(app, receiver, button)}
        />
      </div>
    </Setting>
  )
}

function openMenu(app: App, receiver: Receiver, anchor: HTMLElement): void {
  const t = settingsTranslation(app)
  const texts = t.receivers
  app.overlays.menu.value = {
    label: texts.moreFor({ name: receiverName(receiver, t) }),
    anchor,
    entries: [
      { label: texts.edit, run: () => openDialog(app, receiver.id) },
      {
        label: texts.remove,
        run() {
          void app.attempt(app.bridge.receivers.remove(receiver.id))
          document.querySelector<HTMLElement>('#add-receiver')?.focus()
        },
      },
    ],
  }
}

/** @param id null for a new receiver */
function openDialog(app: App, id: string | null): void {
  app.overlays.dialog.value = { kind: 'receiver', id }
}
