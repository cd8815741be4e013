import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { channelOf } from '../../src/shared/ipc/channels.ts'
import { contractNames } from '../../src/shared/ipc/contract.ts'
import { type PosedService, startPosedService } from './support/posed-service.ts'
import {
  doneRow,
  pollNow,
  row,
  type RunningApp,
  startButton,
  startWith,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

let service: PosedService
let app: RunningApp
let page: Page

beforeAll(async () => {
  service = await startPosedService()
  app = await startWith(service)
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const refused = (code: string) => ({ value: { ok: false, error: expect.objectContaining({ code }) } })

test('the window is isolated, sandboxed and without Node', () => {
  expect(app.windows()[0]?.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
  })
})

test('the page holds nothing of Electron or Node, only frozen calls without a free channel', async () => {
  const seen = await page.evaluate(() => ({
    loose: ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron', 'global'].filter(
      (name) => name in window,
    ),
    groups: Object.keys(window.mediatray).toSorted(),
    frozen: [window.mediatray, ...Object.values(window.mediatray)].every(
      (part) => typeof part === 'function' || Object.isFrozen(part),
    ),
  }))
  expect(seen).toEqual({
    loose: [],
    groups: [...contractNames.calls.map(([group]) => group), 'on', 'pathForFile'].toSorted(),
    frozen: true,
  })
  await expect(
    page.evaluate(() => {
      window.mediatray.on('anything' as 'show', () => undefined)
    }),
  ).rejects.toThrow('There is no event "anything"')
})

test('a script in the name of a file is only a name', async () => {
  const name = `"><img src=x onerror="window.owned=1"><script>window.owned=2<&sol;script>.jpg`
  await app.dropFiles('.job-pane', [app.files.photo(name)])
  await page.locator('.file').first().waitFor()
  await startButton(page).click()
  await row(page, name).click()
  await page.getByRole('region', { name: 'Details' }).waitFor()
  await expect.poll(() => app.tray.now()?.menu[0]?.label ?? '', WITHIN).not.toBe('')
  expect(await page.evaluate(() => 'owned' in window)).toBe(false)
  expect(await page.locator('.side img[src="x"], .job-pane img[src="x"], .job-pane script').count()).toBe(0)
})

const DIRECTIVES = ['connect-src', 'frame-src', 'img-src', 'style-src-attr']

test('the policy keeps out inline code, inline styles, evaluation, other origins and frames', async () => {
  const response = await page.evaluate(async (expected) => {
    const violated = new Set<string>()
    const allSeen = new Promise<void>((resolve) =>
      document.addEventListener('securitypolicyviolation', (event) => {
        violated.add(event.effectiveDirective)
        if (expected.every((directive) => violated.has(directive))) resolve()
      }),
    )
    const script = document.createElement('script')
    let written = 'written'
    try {
      script.textContent = 'window.owned = 3'
    } catch {
      written = 'refused'
    }
    const styled = document.createElement('p')
    styled.setAttribute('style', 'color: red')
    const image = document.createElement('img')
    image.src = 'https://elsewhere.example/pixel.png'
    const frame = document.createElement('iframe')
    frame.src = 'https://elsewhere.example/'
    document.body.append(script, styled, image, frame)
    const fetched = await fetch('https://elsewhere.example/').then(
      () => 'fetched',
      () => 'refused',
    )
    // In a turn of its own: what a test runs directly is exempt from the policy.
    const evaluated = await new Promise((resolve) =>
      setTimeout(() => {
        try {
          Reflect.construct(Function, ['return 1'])
          resolve('evaluated')
        } catch {
          resolve('refused')
        }
      }),
    )
    const policy = await new Promise((resolve) =>
      setTimeout(() => {
        try {
          const { trustedTypes } = window as unknown as {
            trustedTypes: { createPolicy(...made: unknown[]): void }
          }
          trustedTypes.createPolicy('any', { createScript: (text: string) => text })
          resolve('made')
        } catch {
          resolve('refused')
        }
      }),
    )
    await allSeen
    for (const element of [script, styled, image, frame]) element.remove()
    return { fetched, evaluated, written, policy, owned: 'owned' in window }
  }, DIRECTIVES)
  expect(response).toEqual({
    fetched: 'refused',
    evaluated: 'refused',
    written: 'refused',
    policy: 'refused',
    owned: false,
  })
})

test('the page can go nowhere, open nothing, and is refused every permission', async () => {
  expect(await page.evaluate(() => window.open('https://elsewhere.example/'))).toBe(null)
  await page.evaluate(() => {
    const link = document.createElement('a')
    Object.assign(link, { href: 'https://linked.example/', target: '_blank' })
    document.body.append(link)
    link.click()
    link.remove()
    location.href = 'https://evil.example/'
  })
  await page.getByRole('region', { name: 'Jobs' }).waitFor()
  expect(app.windows().map(({ url }) => url)).toEqual(['app://mediatray/'])
  expect(app.shellCalls()).toEqual([])
  for (const permission of ['media', 'notifications', 'geolocation', 'clipboard-read', 'openExternal'])
    expect(await app.permission(permission)).toBe(false)
})

test('no foreign frame can make any call of the app', async () => {
  const frames = [
    { url: 'https://evil.example/', subframe: false },
    { url: 'app://mediatray/', subframe: true },
    { url: 'app://mediatray.evil.example/', subframe: false },
    null,
  ]
  const channels = contractNames.calls.flatMap(([group, names]) =>
    names.map((name) => channelOf(group, name)),
  )
  for (const frame of frames)
    for (const channel of channels)
      expect(await app.forgeInvoke(channel, [], frame), channel).toMatchObject(refused('foreignSender'))
})

test('a call with arguments of another shape is refused before anything is done', async () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['draft:addPaths', 'not a list'],
    ['draft:update', { preset: 1 }],
    ['settings:update', { connection: 'builtIn' }],
    ['settings:update', { baseUrl: 'http://evil.example' }],
    ['settings:update', { rclonePath: '/bin/sh' }],
    ['outbox:resolve', { id: 'x', choice: { kind: 'anything' } }],
    ['history:page', { query: {}, offset: -1, limit: 1e9 }],
    ['app:openLink', 'https://evil.example'],
    ['files:open', ''],
    ['connection:useExternal', { baseUrl: service.baseUrl, key: 'k', keep: 'file' }],
  ]
  const codes = await page.evaluate(
    (calls) =>
      Promise.all(
        calls.map(async ([channel, argument]) => {
          const [group = '', name = ''] = channel.split(':')
          const call: unknown = Reflect.get(Reflect.get(window.mediatray, group), name)
          if (typeof call !== 'function') return 'no such call'
          try {
            return await Reflect.apply(call, null, [argument])
          } catch (error) {
            return (error as { code: string }).code
          }
        }),
      ),
    wrong,
  )
  expect(codes).toEqual(wrong.map(() => 'badArgument'))
  expect(app.shellCalls()).toEqual([])
})

test('files that belong to no job are neither opened nor shown, measured or pictured', async () => {
  const secret = app.files.photo('private/secret.jpg')
  const tried = await page.evaluate(async (path) => {
    const { files } = window.mediatray
    const seen = await Promise.all(
      [
        `/thumbnail?path=${encodeURIComponent(path)}&size=64`,
        `/pixels?key=${encodeURIComponent(path)}`,
        '/../../../../etc/passwd.png',
        '/%2e%2e/%2e%2e/preload/preload.png',
      ].map(async (url) => {
        const image = new Image()
        image.src = url
        return await image.decode().then(
          () => 'shown',
          () => 'refused',
        )
      }),
    )
    const asked = await Promise.allSettled([files.open(path), files.reveal(path), files.startDrag([path])])
    return {
      seen,
      asked: asked.map((answer) =>
        answer.status === 'rejected' ? (answer.reason as { code: string }).code : 'allowed',
      ),
      exist: await files.exist([path, '/etc/passwd']),
      sizes: await files.sizes([path]),
    }
  }, secret)
  expect(tried).toEqual({
    seen: ['refused', 'refused', 'refused', 'refused'],
    asked: ['fileForeign', 'fileForeign', 'fileForeign'],
    exist: [false, false],
    sizes: [null],
  })
  expect(app.shellCalls()).toEqual([])
})

/** What main answers to every call that touches a file, by the codes of its refusals. */
const touch = (paths: readonly string[]) =>
  page.evaluate(async (asked) => {
    const { files } = window.mediatray
    const codes = async (path: string) => {
      const answers = await Promise.allSettled([
        files.open(path),
        files.reveal(path),
        files.startDrag([path]),
      ])
      const image = new Image()
      image.src = `/thumbnail?path=${encodeURIComponent(path)}&size=64`
      const shown = await image.decode().then(
        () => 'shown',
        () => 'refused',
      )
      const told = answers.map((answer) =>
        answer.status === 'fulfilled' ? 'allowed' : (answer.reason as { code: string }).code,
      )
      return [...told, shown].join(' ')
    }
    return { sizes: await files.sizes([...asked]), codes: await Promise.all(asked.map(codes)) }
  }, paths)

function program(path: string): string {
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o777)
  return path
}

test('the page adds no file that nobody has dropped: not by its path, and not by a file that it makes', async () => {
  const path = app.files.photo('private/another.jpg')
  const named = await page.evaluate(async (secret) => {
    const { draft } = window.mediatray
    await draft.clear()
    await draft.addPaths([secret])
    return window.mediatray.pathForFile(new File(['x'], secret))
  }, path)
  expect(named).toBe('')
  const { draft } = await stateOf(app)
  expect(draft).toMatchObject({ source: { kind: 'files', items: [] }, rejected: [] })
})

test('a folder for results that is a program makes no program known', async () => {
  const path = program(join(app.files.path, 'program'))
  await page.evaluate((folder) => {
    void window.mediatray.draft.update({ output: { kind: 'folder', path: folder } })
  }, path)
  await expect.poll(async () => (await stateOf(app)).draft.output, WITHIN).toEqual({ kind: 'folder', path })
  expect(await touch([path])).toEqual({
    sizes: [null],
    codes: ['fileForeign notMedia fileForeign refused'],
  })
  expect(app.shellCalls()).toEqual([])
})

test('a service that calls other files its results makes none of them known, and a false photo is not opened', async () => {
  const output = app.files.output
  mkdirSync(output, { recursive: true })
  await page.evaluate(async (path) => {
    await window.mediatray.draft.clear()
    await window.mediatray.draft.update({ output: { kind: 'folder', path } })
  }, output)
  const secret = app.files.photo('private/hidden.jpg')
  await app.dropFiles('.job-pane', [app.files.photo('victim.jpg')])
  const number = service.jobs.length + 1
  await startButton(page).click()
  await expect.poll(() => service.jobs.length, WITHIN).toBe(number)
  const named = [
    secret,
    join(output, '..', '..', 'Photos/private/hidden.jpg'),
    `${output}/../../Photos/private/hidden.jpg`,
    '//elsewhere.example/share/photo.jpg',
    program(join(output, 'false.jpg')),
    program(join(output, 'run.sh')),
  ]
  service.pose(number, {
    status: 'completed',
    type: 'batch',
    completedAt: new Date().toISOString(),
    results: named.map((outputPath) => ({ file: 'victim.jpg', outputPath })),
  })
  await pollNow(app)
  await doneRow(page, 'victim.jpg').click()
  await page.locator('.job-pane').getByText('false.jpg').first().waitFor()
  const outside = 'fileForeign fileForeign fileForeign refused'
  const falsePhoto = 'notMedia notMedia notMedia refused'
  expect(await touch(named)).toEqual({
    sizes: named.map(() => null),
    codes: [outside, outside, outside, outside, falsePhoto, falsePhoto],
  })
  expect(app.shellCalls()).toEqual([])
})

test('a program is chosen in a dialog alone, and not where others can change it', async () => {
  await app.dialogs.answerOpen([program(join(app.files.path, 'rclone'))])
  const code = await page.evaluate(() =>
    window.mediatray.drive.chooseRclone().then(
      () => 'chosen',
      (error: { code: string }) => error.code,
    ),
  )
  expect(code).toBe('program')
  expect((await stateOf(app)).settings.rclonePath).toBeNull()
})

test('nothing the page was given names the key, and the log does not either', async () => {
  const all = await page.evaluate(async () => JSON.stringify(await window.mediatray.app.snapshot()))
  expect(all).not.toContain(service.key)
  expect(app.log()).not.toContain(service.key)
  expect(readFileSync(join(app.files.data, 'settings.json'), 'utf8')).not.toContain(service.key)
})
