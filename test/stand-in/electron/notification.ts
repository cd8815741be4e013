/** `Notification`: recorded when shown, clickable by a test, and garbage-collected unless the app keeps a reference. */
import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type * as Electron from 'electron'
import type { RecordedNotification } from '../recorded.ts'
import { lackingClass, onlyEvents, preventable } from './lacking.ts'

/** Actions of the user or the system. */
export type StandInNotification = {
  click(): void
  action(index: number): void
  closeByUser(): void
  /** Windows moves a notification that timed out to the notification center, where it can still be clicked. */
  timeOut(): void
  fail(error: string): void
}

/** The members that are checked against Electron's own types. */
type Checked = Pick<Electron.Notification, 'title' | 'body' | 'silent' | 'actions' | 'id' | 'show' | 'close'>

export function createNotifications(parts: {
  readonly supported: () => boolean
  readonly platform: () => string
  /** Called when the app creates a notification or checks for support. On Windows, either registers the app. */
  readonly onUse: () => void
  readonly onChange: (notifications: readonly RecordedNotification[]) => void
}) {
  type Entry = {
    recorded: RecordedNotification
    /** Null if the app closed the notification before it appeared. The app then receives no events. */
    readonly owner: WeakRef<Notification> | null
  }
  const shown: Entry[] = []
  /** Whether Windows can reach the app: once it has created a notification, or has asked whether they are supported. */
  let isRegistered = false
  let onActivation: ((details: Electron.ActivationArguments) => void) | undefined
  const use = () => {
    isRegistered = true
    parts.onUse()
  }
  const changed = () => parts.onChange(shown.map((entry) => entry.recorded))

  class Notification extends EventEmitter implements Checked {
    title: string
    body: string
    silent: boolean
    actions: Electron.NotificationAction[]
    readonly id: string
    /** The stand-in's own API, not part of Electron. */
    readonly standIn: StandInNotification
    #entry: Entry | null = null
    /** Whether the app still wants a notification that is about to appear. */
    #isWanted = { now: true }

    constructor(options: Electron.NotificationConstructorOptions = {}) {
      super()
      use()
      if (parts.platform() === 'win32' && (options.id ?? '').length > 64)
        throw new TypeError('Notification id exceeds Windows limit of 64 UTF-16 characters')
      onlyEvents('Notification', this, ['show', 'click', 'close', 'action', 'failed', 'reply'])
      this.title = options.title ?? ''
      this.body = options.body ?? ''
      this.silent = options.silent ?? false
      this.actions = options.actions ?? []
      this.id = options.id ?? ''
      this.standIn = this.#acts()
    }
    static isSupported = () => {
      use()
      return parts.supported()
    }
    static handleActivation = (callback: (details: Electron.ActivationArguments) => void) => {
      if (parts.platform() !== 'win32') throw new TypeError('Notification.handleActivation is not a function')
      onActivation = callback
    }

    show = () => {
      if (!parts.supported()) return
      // Showing the same notification again replaces the one on screen.
      if (this.#entry?.recorded.state === 'shown') this.#become('closed')
      const wanted = { now: true }
      this.#isWanted = wanted
      if (parts.platform() === 'linux') this.#appear(wanted)
      else setImmediate(() => this.#appear(wanted))
    }
    #appear(wanted: { readonly now: boolean }) {
      const recorded: RecordedNotification = {
        number: shown.length,
        title: this.title,
        body: this.body,
        silent: this.silent,
        actions: this.actions.map((action) => action.text ?? ''),
        state: 'shown',
      }
      const entry = { recorded, owner: wanted.now ? new WeakRef(this) : null }
      shown.push(entry)
      changed()
      if (!wanted.now) return
      this.#entry = entry
      this.emit('show', preventable({}))
    }
    /** Doesn't stop a notification that is about to appear. Only macOS emits `close` for a notification that the app closed. */
    close = () => {
      this.#isWanted.now = false
      const wasShown = this.#entry?.recorded.state === 'shown'
      this.#become('closed')
      if (wasShown && parts.platform() === 'darwin') this.emit('close', preventable({}))
    }

    #acts(): StandInNotification {
      return {
        click: () => {
          this.emit('click', preventable({}))
          this.#become('closed')
        },
        action: (index) => {
          if (parts.platform() === 'linux') throw new Error('Notifications have no buttons on Linux')
          // Before the notification's own event.
          if (parts.platform() === 'win32') activate(index, this.id)
          const details = preventable({ actionIndex: index, selectionIndex: -1 })
          this.emit('action', details, index, -1)
          this.#become('closed')
        },
        closeByUser: () => this.#end('userCanceled'),
        timeOut: () => {
          if (parts.platform() !== 'win32')
            throw new Error('Only Windows reports that a notification has timed out')
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
    #end(reason: 'userCanceled' | 'timedOut') {
      const state = this.#entry?.recorded.state
      if (state === 'timedOut') this.#become('closed')
      if (state !== 'shown') return
      this.#become(reason === 'timedOut' ? 'timedOut' : 'closed')
      // Only Windows gives a reason.
      this.emit('close', preventable(parts.platform() === 'win32' ? { reason } : {}))
    }
  }
  function activate(actionIndex: number | null, tag: string): void {
    if (actionIndex === null) return onActivation?.({ type: 'click', arguments: '' })
    const text = `type=action&action=${actionIndex}&tag=${tag}`
    onActivation?.({ type: 'action', arguments: text, actionIndex })
  }
  return {
    Notification: lackingClass('Notification', Notification),
    /**
     * Clicks a notification of an earlier run in Windows' notification center.
     * @param actionIndex of its button; null for a click elsewhere on it, which says nothing about the notification
     */
    clickEarlier: (actionIndex: number | null, id: string): void => {
      if (!isRegistered) throw new Error('Windows started the app again, and the click had no effect')
      activate(actionIndex, id)
    },
    /**
     * Returns the notification with this index.
     * Throws if the app didn't keep the notification, because it would then receive no events in Electron.
     */
    byNumber: (number: number): StandInNotification => {
      const entry = shown[number]
      if (entry === undefined) throw new Error(`There is no notification ${number}`)
      collectGarbage()
      if (entry.owner === null)
        throw new Error(`Notification ${number} was closed before it appeared and receives no events`)
      const owner = entry.owner.deref()
      if (owner === undefined)
        throw new Error(`Notification ${number} was garbage-collected and receives no events`)
      return owner.standIn
    },
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
}
