/** `Notification`: shown on the record, clicked by a test, and collected when the app has let go of it. */
import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type * as Electron from 'electron'
import type { RecordedNotification } from '../recorded.ts'
import { lackingClass, onlyEvents, preventable } from './lacking.ts'

/** What a person or the system does to one. */
export type StandInNotification = {
  click(): void
  action(index: number): void
  closeByPerson(): void
  /** Windows puts it aside, where it can still be clicked. */
  timeOut(): void
  fail(error: string): void
}

/** Compared with Electron's own types. */
type Checked = Pick<Electron.Notification, 'title' | 'body' | 'silent' | 'actions' | 'id' | 'show' | 'close'>

export function createNotifications(parts: {
  readonly supported: () => boolean
  readonly platform: () => string
  readonly onChange: (notifications: readonly RecordedNotification[]) => void
}) {
  const shown: { recorded: RecordedNotification; readonly owner: WeakRef<Notification> }[] = []
  const changed = () => parts.onChange(shown.map((entry) => entry.recorded))

  class Notification extends EventEmitter implements Checked {
    title: string
    body: string
    silent: boolean
    actions: Electron.NotificationAction[]
    readonly id: string
    /** The stand-in's own side; not part of Electron. */
    readonly standIn: StandInNotification
    #entry: (typeof shown)[number] | null = null

    constructor(options: Electron.NotificationConstructorOptions = {}) {
      super()
      onlyEvents('Notification', this, ['show', 'click', 'close', 'action', 'failed', 'reply'])
      this.title = options.title ?? ''
      this.body = options.body ?? ''
      this.silent = options.silent ?? false
      this.actions = options.actions ?? []
      this.id = options.id ?? ''
      this.standIn = this.#acts()
    }
    static isSupported = () => parts.supported()

    show = () => {
      if (!parts.supported()) return
      // The same one shown again takes the place of what it was.
      if (this.#entry?.recorded.state === 'shown') this.#become('closed')
      const recorded: RecordedNotification = {
        number: shown.length,
        title: this.title,
        body: this.body,
        silent: this.silent,
        actions: this.actions.map((action) => action.text ?? ''),
        state: 'shown',
      }
      this.#entry = { recorded, owner: new WeakRef(this) }
      shown.push(this.#entry)
      changed()
      queueMicrotask(() => this.emit('show', preventable({})))
    }
    /** Of one that was put aside nothing more is said. */
    close = () => {
      if (this.#entry?.recorded.state === 'timedOut') this.#become('closed')
      else this.#end('applicationHidden')
    }

    #acts(): StandInNotification {
      return {
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
        timeOut: () => {
          if (parts.platform() !== 'win32') throw new Error('Only Windows says that one has timed out')
          this.#end('timedOut')
        },
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
    #end(reason: 'userCanceled' | 'applicationHidden' | 'timedOut') {
      const state = this.#entry?.recorded.state
      if (state === 'timedOut') this.#become('closed')
      if (state !== 'shown') return
      this.#become(reason === 'timedOut' ? 'timedOut' : 'closed')
      // Only Windows says why.
      this.emit('close', preventable(parts.platform() === 'win32' ? { reason } : {}))
    }
  }
  return {
    Notification: lackingClass('Notification', Notification),
    /** As in Electron, nobody hears what happens to one that the app did not keep. */
    byNumber: (number: number): StandInNotification => {
      const entry = shown[number]
      if (entry === undefined) throw new Error(`There is no notification ${number}`)
      collectGarbage()
      const owner = entry.owner.deref()
      if (owner === undefined) throw new Error(`Notification ${number} was collected: nobody hears of it`)
      return owner.standIn
    },
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
}
