/** `Notification`: shown on the record, clicked by a test. */
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import type { RecordedNotification } from '../recorded.ts'
import { lackingClass, onlyEvents, preventable } from './lacking.ts'

export type StandInNotification = {
  readonly number: number
  click(): void
  action(index: number): void
  closeByPerson(): void
  fail(error: string): void
}

/** Compared with Electron's own types. */
type Checked = Pick<Electron.Notification, 'title' | 'body' | 'silent' | 'actions' | 'id' | 'show' | 'close'>

export function createNotifications(parts: {
  readonly supported: () => boolean
  readonly platform: () => string
  readonly onChange: (notifications: readonly RecordedNotification[]) => void
}) {
  const shown: { recorded: RecordedNotification; readonly acts: StandInNotification }[] = []
  const changed = () => parts.onChange(shown.map((entry) => entry.recorded))

  class Notification extends EventEmitter implements Checked {
    title: string
    body: string
    silent: boolean
    actions: Electron.NotificationAction[]
    readonly id: string
    #entry: (typeof shown)[number] | null = null

    constructor(options: Electron.NotificationConstructorOptions = {}) {
      super()
      onlyEvents('Notification', this, ['show', 'click', 'close', 'action', 'failed', 'reply'])
      this.title = options.title ?? ''
      this.body = options.body ?? ''
      this.silent = options.silent ?? false
      this.actions = options.actions ?? []
      this.id = options.id ?? ''
    }
    static isSupported = () => parts.supported()

    show = () => {
      if (!parts.supported()) return
      // The same one shown again takes the place of what it was.
      if (this.#entry?.recorded.state === 'shown') this.#become('closed')
      const number = shown.length
      const recorded: RecordedNotification = {
        number,
        title: this.title,
        body: this.body,
        silent: this.silent,
        actions: this.actions.map((action) => action.text ?? ''),
        state: 'shown',
      }
      this.#entry = { recorded, acts: this.#acts(number) }
      shown.push(this.#entry)
      changed()
      queueMicrotask(() => this.emit('show', preventable({})))
    }
    close = () => {
      this.#end('applicationHidden')
    }

    #acts(number: number): StandInNotification {
      return {
        number,
        click: () => {
          this.emit('click', preventable({}))
          this.#end('userCanceled')
        },
        action: (index) => {
          if (parts.platform() === 'linux') throw new Error('Notifications have no buttons on Linux')
          const details = preventable({ actionIndex: index, selectionIndex: -1 })
          this.emit('action', details, index, -1)
          this.#end('userCanceled')
        },
        closeByPerson: () => this.#end('userCanceled'),
        fail: (error) => {
          this.#become('failed')
          this.emit('failed', preventable({}), error)
        },
      }
    }
    #become(state: RecordedNotification['state']) {
      if (this.#entry === null) return
      this.#entry.recorded = { ...this.#entry.recorded, state }
      changed()
    }
    #end(reason: string) {
      if (this.#entry?.recorded.state !== 'shown') return
      this.#become('closed')
      this.emit('close', preventable({ reason }))
    }
  }
  return {
    Notification: lackingClass('Notification', Notification),
    byNumber(number: number): StandInNotification {
      const entry = shown[number]
      if (entry === undefined) throw new Error(`There is no notification ${number}`)
      return entry.acts
    },
  }
}
