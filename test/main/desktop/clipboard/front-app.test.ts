import { existsSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { describeInLongSuite } from '../../../faults/long-suite.ts'
import { createFrontApp } from '../../../../src/main/desktop/clipboard/front-app.ts'
import {
  activeWindowIn,
  macAppIn,
  macNamesIn,
  windowNamesIn,
  windowsNamesIn,
} from '../../../../src/main/desktop/clipboard/front-app-output.ts'
import { systemTiming } from '../../../../src/node/timing.ts'
import { temporaryFolder } from '../../../temporary-folder.ts'
import { ownXprop } from './own-xprop.ts'
import { startXDisplay } from './x-display.ts'

describe('the output on macOS', () => {
  it.each([
    ['ASN:0x0-0x1d01d:\n', 'ASN:0x0-0x1d01d:'],
    ['"Safari" ASN:0x0-0x12012: \n', 'ASN:0x0-0x12012:'],
    ['[ NULL ] \n', undefined],
    ['', undefined],
    ['-all\n', undefined],
  ])('%j names the app in front as %j', (output, id) => {
    expect(macAppIn(output)).toBe(id)
  })

  it.each([
    [
      '"CFBundleIdentifier"="com.apple.Preview"\n"LSDisplayName"="Vorschau"\n"LSBundlePath"="/System/Applications/Preview.app"\n',
      ['com.apple.Preview', 'Vorschau', 'Preview.app'],
    ],
    ['"CFBundleIdentifier"=[ NULL ] \n"LSDisplayName"="baobar"\n', ['baobar']],
    ['"LSDisplayName"="quoted "name" = \\"\n', ['quoted "name" = \\']],
    ['"pid"=123\n"CFBundleIdentifier"=""\n', undefined],
    ['"CFBundleIdentifier"=[ NULL ] \n"LSDisplayName"=[ NULL ] \n', undefined],
    ['', undefined],
    ['\u0000"LSDisplayName"=', undefined],
  ])('%j names %j', (output, names) => {
    expect(macNamesIn(output)).toEqual(names)
  })
})

describe('the output on Windows', () => {
  it.each([
    ['KeePassXC\r\nKeePassXC password manager\r\n', ['KeePassXC', 'KeePassXC password manager']],
    ['notepad\r\n\r\n', ['notepad']],
    ['Überblick\r\n', ['Überblick']],
    ['ApplicationFrameHost\r\nApplication Frame Host\r\n', undefined],
    ['\r\n', undefined],
    ['', undefined],
  ])('%j names %j', (output, names) => {
    expect(windowsNamesIn(output)).toEqual(names)
  })
})

describe('the output on X11', () => {
  it.each([
    ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x2400007\n', '0x2400007'],
    ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1400003, 0x0\n', '0x1400003'],
    ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x0\n', undefined],
    ['_NET_ACTIVE_WINDOW(WINDOW): window id # \n', undefined],
    ['_NET_ACTIVE_WINDOW(STRING) = "window id # 0x5"\n', undefined],
    ['_NET_ACTIVE_WINDOW:  not found.\n', undefined],
  ])('%j has window %j in front', (output, id) => {
    expect(activeWindowIn(output)).toBe(id)
  })

  it.each([
    ['WM_CLASS(STRING) = "Navigator", "Firefox"\n', ['Navigator', 'Firefox']],
    ['WM_CLASS:  not found.\n', undefined],
    ['WM_CLASS', undefined],
    ['WM_CLASS(STRING) = \n', undefined],
    ['WM_CLASS(STRING) = "\\', undefined],
  ])('%j names %j', (output, names) => {
    expect(windowNamesIn(output)).toEqual(names)
  })
})

const onLinux = (env: NodeJS.ProcessEnv, after = systemTiming.after) =>
  createFrontApp({ platform: 'linux', env, after })

describeInLongSuite.runIf(process.platform === 'linux')('a real X server', () => {
  const none = undefined
  it('reports the app in front, regardless of its name', async () => {
    await using display = await startXDisplay()
    const app = onLinux({ ...process.env, DISPLAY: display.name, LC_ALL: 'de_DE.UTF-8' })
    expect(await app.canTell()).toBe(true)
    expect(await app.names()).toBeUndefined()
    for (const [wmClass, names] of [
      ['keepassxc\0KeePassXC\0', ['keepassxc', 'KeePassXC']],
      ['größe\0日本\0', ['größe', '日本']],
      ['a "b\\c\0line\nWM_CLASS(STRING) = "x", "evil\0', ['a "b\\c', 'linenWM_CLASS(STRING) = "x", "evil']],
      ['\u001B[31m\0-root\0', ['\u001B[31m', '-root']],
      ['one', ['one']],
      ['\0\0', none],
      ['', none],
      ['x'.repeat(200_000), none],
      [none, none],
    ] as const) {
      await display.putInFront(wmClass === undefined ? undefined : Buffer.from(wmClass))
      expect(await app.names(), wmClass?.slice(0, 100)).toEqual(names)
    }
  })

  it('without an app in front, with one that has just ended, or that has ended itself, tells nothing', async () => {
    await using display = await startXDisplay()
    const app = onLinux({ ...process.env, DISPLAY: display.name })
    for (const windows of [[0], [], [0x99_9999], undefined]) {
      await display.setActive(windows)
      expect(await app.names()).toBeUndefined()
    }
    await display[Symbol.asyncDispose]()
    expect(await app.names()).toBeUndefined()
  })
})

describe.runIf(process.platform === 'linux')('a program that', () => {
  it('isn’t installed can’t tell', async () => {
    const app = onLinux({ PATH: temporaryFolder() })
    expect(await app.canTell()).toBe(false)
    expect(await app.names()).toBeUndefined()
  })

  it('others could have changed isn’t started', async () => {
    const app = onLinux(await ownXprop('echo "$@" >"$OWN.started"', 0o777))
    expect(await app.canTell()).toBe(false)
    expect(await app.names()).toBeUndefined()
  })

  it('answers only the first question, or fails after its answer, tells nothing', async () => {
    const window = 'echo "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x7"'
    expect(await onLinux(await ownXprop(`[ "$1" = -root ] && ${window}`)).names()).toBeUndefined()
    const failing = `[ "$1" = -root ] && ${window} && exit 0; echo 'WM_CLASS(STRING) = "a", "A"'; exit 1`
    expect(await onLinux(await ownXprop(failing)).names()).toBeUndefined()
  })

  it('never ends, or starts another one that doesn’t, is killed', async () => {
    const env = await ownXprop('trap "" TERM; /bin/sleep 600 & echo >"$OWN.running"; wait; wait')
    const limits: number[] = []
    const app = onLinux(env, (ms, run) => {
      limits.push(ms)
      void vi.waitFor(() => expect(existsSync(`${env.OWN}.running`)).toBe(true), 60_000).then(run)
      return () => {}
    })
    expect(await app.names()).toBeUndefined()
    expect(limits).toEqual([2_000])
  })

  it('writes without end is killed', async () => {
    const app = onLinux(await ownXprop('while :; do echo "WM_CLASS(STRING) = x"; done'))
    expect(await app.names()).toBeUndefined()
  })
})
