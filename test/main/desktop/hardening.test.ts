import type { App, Session } from 'electron'
import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createRecord } from '../../stand-in/electron/record.ts'
import { createSchemes } from '../../stand-in/electron/scheme.ts'
import { createSession } from '../../stand-in/electron/session.ts'
import { hardenApp, hardenSession } from '../../../src/main/desktop/windows/hardening.ts'

/** Returns whether the listener prevented the default action. */
function isPrevented(emitter: EventEmitter, name: string): boolean {
  let prevented = false
  emitter.emit(name, { preventDefault: () => (prevented = true) })
  return prevented
}

test('blocks every download, device and permission', () => {
  const answers: boolean[] = []
  const session = Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: (ask: (...given: unknown[]) => void) =>
      ask({}, 'media', (granted: boolean) => answers.push(granted)),
    setPermissionCheckHandler: (check: () => boolean) => answers.push(check()),
    setDevicePermissionHandler: (check: () => boolean) => answers.push(check()),
    setSpellCheckerLanguages: () => {},
  })
  hardenSession(session as unknown as Session)
  expect(isPrevented(session, 'will-download')).toBe(true)
  expect(answers).toEqual([false, false, false])
})

test('Electron downloads no dictionaries', () => {
  const record = createRecord()
  const { defaultSession } = createSession(createSchemes(), () => true, record)
  expect(record.now.dictionaries).not.toEqual([])
  hardenSession(defaultSession as unknown as Session)
  expect(record.now.dictionaries).toEqual([])
})

test('web contents can’t navigate, open windows or embed other contents', () => {
  let isSandboxed = false
  const app = Object.assign(new EventEmitter(), { enableSandbox: () => (isSandboxed = true) })
  hardenApp(app as unknown as App)
  let opened: unknown
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (open: () => unknown) => (opened = open()),
  })
  app.emit('web-contents-created', {}, contents)
  expect(isSandboxed).toBe(true)
  expect(opened).toEqual({ action: 'deny' })
  for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect', 'will-attach-webview'])
    expect(isPrevented(contents, name), name).toBe(true)
})
