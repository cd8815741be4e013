import { randomUUID } from 'node:crypto'
import type { Notification, NotificationConstructorOptions } from 'electron'
import { expect, it } from 'vitest'
import {
  createBalloons,
  createNativeNotifications,
} from '../../../src/main/desktop/notifications/notifier.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { NotificationView } from '../../../src/main/desktop/notifications/notification-view.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { createNotifications } from '../../stand-in/electron/notification.ts'
import type { RecordedNotification } from '../../stand-in/recorded.ts'

const VIEW: NotificationView = {
  choice: 'done',
  title: 'Three photos are ready',
  body: 'a.jpg',
  click: { do: 'open' },
  buttons: [{ label: 'Settings', action: { do: 'settings' } }],
}

/** The stand-in's notifications, which are garbage-collected when nothing references them. */
function setUp(platform: NodeJS.Platform) {
  let recorded: readonly RecordedNotification[] = []
  const did: string[] = []
  const notifications = createNotifications({
    supported: () => true,
    platform: () => platform,
    onUse: () => {},
    onChange: (now) => (recorded = now),
  })
  const ids: string[] = []
  class Noted extends notifications.Notification {
    constructor(options: NotificationConstructorOptions) {
      super(options)
      ids.push(options.id ?? '')
    }
  }
  const show = createNativeNotifications({
    Notification: Noted as unknown as typeof Notification,
    platform,
    iconPath: '/icon.png',
    onAction: ({ do: what }) => did.push(what),
    log: (message) => did.push(message),
  })
  return {
    show,
    did,
    ids,
    clickEarlier: notifications.clickEarlier,
    last: () => recorded.at(-1),
    states: () => recorded.map(({ state }) => state),
    at: notifications.byNumber,
  }
}

/** Resolves in a later tick, in which objects that only the current tick references can be collected. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve))

itInLongSuite('on Windows, a notification that timed out and its button can still be clicked', async () => {
  const { show, did, at, states } = setUp('win32')
  for (const number of [0, 1]) {
    show(VIEW)
    await nextTick()
    at(number).timeOut()
    await nextTick()
  }
  expect(states()).toEqual(['timedOut', 'timedOut'])
  at(0).click()
  at(1).action(0)
  expect(did).toEqual(['open', 'settings'])
})

it('a notification that timed out is removed from the action center when the app closes it', async () => {
  const { show, at, states } = setUp('win32')
  const shown = show(VIEW)
  await nextTick()
  at(0).timeOut()
  shown.close()
  expect(states()).toEqual(['closed'])
})

it.each(['win32', 'darwin'] as const)(
  'on %s, a notification that is closed before it appears is closed as soon as it appears',
  async (platform) => {
    const { show, states } = setUp(platform)
    show(VIEW).close()
    expect(states()).toEqual([])
    await nextTick()
    await nextTick()
    expect(states()).toEqual(['closed'])
  },
)

itInLongSuite.each(['click', 'action'] as const)(
  'a notification is released after a %s, because no close event follows',
  async (act) => {
    const { show, at } = setUp('win32')
    show(VIEW)
    await nextTick()
    at(0)[act](0)
    await nextTick()
    expect(() => at(0)).toThrow('was garbage-collected')
  },
)

it('a notification that the user closed is released', async () => {
  const { show, at } = setUp('win32')
  show(VIEW)
  await nextTick()
  at(0).closeByUser()
  await nextTick()
  expect(() => at(0)).toThrow('was garbage-collected')
})

const RECORD = { do: 'reveal', id: asRecordId('r_1') } as const

it('on Windows, a notification of an earlier run opens the window, and its button works if it still can', () => {
  const earlier = setUp('win32')
  earlier.show({ ...VIEW, buttons: [{ label: 'Show', action: RECORD }, ...VIEW.buttons] })
  const { did, clickEarlier } = setUp('win32')
  clickEarlier(null, '')
  clickEarlier(0, earlier.ids[0] ?? '')
  clickEarlier(1, earlier.ids[0] ?? '')
  for (const odd of ['', 'W10.x', 'bnVsbA.x', `${Buffer.from('[{"do":"quit"}]').toString('base64url')}.x`])
    clickEarlier(0, odd)
  expect(did).toEqual(['open', 'reveal', ...Array.from({ length: 5 }, () => 'open')])
})

it('on Windows, all buttons of a job fit in the identifier, and each works in a later run', () => {
  const earlier = setUp('win32')
  const id = asRecordId(randomUUID())
  const actions = (['showRecord', 'reveal', 'retry', 'runAgain', 'restoreOriginals'] as const).map(
    (name) => ({
      do: name,
      id,
    }),
  )
  earlier.show({ ...VIEW, buttons: actions.map((action) => ({ label: action.do, action })) })
  const { did, clickEarlier } = setUp('win32')
  for (const index of actions.keys()) clickEarlier(index, earlier.ids[0] ?? '')
  expect(did).toEqual(actions.map(({ do: name }) => name))
})

it('a tray balloon without a text shows its title as the text, because an empty one removes the balloon', () => {
  const shown: unknown[] = []
  createBalloons({ balloon: (one) => void shown.push(one) }, () => {})({
    ...VIEW,
    title: 'Nothing copied',
    body: '',
  })
  expect(shown).toMatchObject([{ title: 'Mediatray', content: 'Nothing copied' }])
})

it('on Windows, a button of this run acts once, also if its notification was released', async () => {
  const { show, did, at, ids, clickEarlier } = setUp('win32')
  const view = { ...VIEW, buttons: [{ label: 'Show', action: RECORD }] }
  show(view)
  await nextTick()
  at(0).action(0)
  expect(did).toEqual(['reveal'])
  clickEarlier(0, ids[0] ?? '')
  expect(did).toEqual(['reveal', 'reveal'])
})

it('on Linux, a notification has no buttons, and a failure to show it is logged', async () => {
  const { show, did, at } = setUp('linux')
  show(VIEW)
  await nextTick()
  expect(() => at(0).action(0)).toThrow('no buttons')
  at(0).fail('no permission')
  expect(did).toEqual(['could not show a notification: no permission'])
})

const HOSTILE = {
  ...VIEW,
  title: 'Tom & <b>Jerry</b> \u202Egpj.exe',
  body: '<a href="https://elsewhere.example">AT&T</a>\n<img src="file:///etc/passwd">\u202Egpj\u0007',
}

it('on Linux, markup is escaped in the body but not in the title, which servers show as plain text', () => {
  const { show, last } = setUp('linux')
  show(HOSTILE)
  expect(last()).toMatchObject({
    title: 'Tom & <b>Jerry</b> \uFFFDgpj.exe',
    body: '&lt;a href="https://elsewhere.example"&gt;AT&amp;T&lt;/a&gt; &lt;img src="file:///etc/passwd"&gt;\uFFFDgpj\uFFFD',
  })
})

it.each(['darwin', 'win32'] as const)(
  'on %s, nothing is escaped, and misleading characters are replaced',
  async (platform) => {
    const { show, last } = setUp(platform)
    show(HOSTILE)
    await nextTick()
    expect(last()).toMatchObject({
      body: '<a href="https://elsewhere.example">AT&T</a> <img src="file:///etc/passwd">\uFFFDgpj\uFFFD',
    })
  },
)
