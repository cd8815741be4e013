import type { Notification } from 'electron'
import { expect, it } from 'vitest'
import { createNativeNotifications } from '../../../src/main/desktop/notifications/native-notification.ts'
import type { NotificationView } from '../../../src/main/desktop/notifications/notification-view.ts'
import { createNotifications } from '../../stand-in/electron/notification.ts'
import type { RecordedNotification } from '../../stand-in/recorded.ts'

const VIEW: NotificationView = {
  choice: 'done',
  title: 'Three photos are ready',
  body: 'a.jpg',
  click: { do: 'open' },
  buttons: [{ label: 'Settings', action: { do: 'settings' } }],
}

/** The stand-in's notifications, which are collected when nobody keeps them. */
function setUp(platform: NodeJS.Platform) {
  let recorded: readonly RecordedNotification[] = []
  const did: string[] = []
  const notifications = createNotifications({
    supported: () => true,
    platform: () => platform,
    onChange: (now) => (recorded = now),
  })
  const show = createNativeNotifications({
    isSupported: () => notifications.Notification.isSupported(),
    create: (options) => new notifications.Notification(options) as unknown as Notification,
    platform,
    iconPath: '/icon.png',
    onAction: ({ do: what }) => did.push(what),
    log: (message) => did.push(message),
  })
  return { show, did, states: () => recorded.map(({ state }) => state), at: notifications.byNumber }
}

/** What is only held by the turn that made it can be collected in the next one. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

it('On Windows one that timed out can still be clicked, and its button as well', async () => {
  const { show, did, at, states } = setUp('win32')
  for (const number of [0, 1]) {
    show(VIEW)
    await nextTurn()
    at(number).timeOut()
    await nextTurn()
  }
  expect(states()).toEqual(['timedOut', 'timedOut'])
  at(0).click()
  at(1).action(0)
  expect(did).toEqual(['open', 'settings'])
})

it('One that timed out is gone from the action centre once the app closes it', async () => {
  const { show, at, states } = setUp('win32')
  const shown = show(VIEW)
  await nextTurn()
  at(0).timeOut()
  shown.close()
  expect(states()).toEqual(['closed'])
})

it('One that a person closed is let go', async () => {
  const { show, at } = setUp('win32')
  show(VIEW)
  await nextTurn()
  at(0).closeByPerson()
  await nextTurn()
  expect(() => at(0)).toThrow('was collected')
})

it('On Linux there are no buttons; why one could not be shown is logged', async () => {
  const { show, did, at } = setUp('linux')
  show(VIEW)
  await nextTurn()
  expect(() => at(0).action(0)).toThrow('no buttons')
  at(0).fail('no permission')
  expect(did).toEqual(['a notification could not be shown: no permission'])
})
