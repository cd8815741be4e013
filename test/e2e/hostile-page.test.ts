import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { channelOf } from '../../src/shared/ipc/channels.ts'
import { contractNames } from '../../src/shared/ipc/contract.ts'
import { type StubService, startStubService } from './support/stub-service.ts'
import {
  CONNECT,
  doneRow,
  pollNow,
  row,
  type RunningApp,
  startButton,
  startWith,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

let service: StubService
let app: RunningApp
let page: Page

beforeAll(async () => {
  service = await startStubService()
  app = await startWith(service)
  page = await app.page()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const refused = (code: string) => ({ value: { ok: false, error: expect.objectContaining({ code }) } })

test('the window is isolated and sandboxed, and has no access to Node', () => {
  expect(app.windows()[0]?.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
  })
})

test('the page has no access to Electron or Node, only to frozen functions that can’t use arbitrary channels', async () => {
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

test('a script in a file name is shown as text and never runs', async () => {
  const name = `"><img src=x onerror="window.owned=1"><script>window.owned=2<&sol;script>.jpg`
  await app.dropFiles('.job-pane', [app.files.photo(name)])
  await page.locator('.draft-file').first().waitFor()
  await startButton(page).click()
  await row(page, name).click()
  await page.getByRole('region', { name: 'Details' }).waitFor()
  await expect.poll(() => app.tray.now()?.menu[0]?.label ?? '', WITHIN).not.toBe('')
  expect(await page.evaluate(() => 'owned' in window)).toBe(false)
  expect(await page.locator('.sidebar img[src="x"], .job-pane img[src="x"], .job-pane script').count()).toBe(
    0,
  )
})

const DIRECTIVES = ['connect-src', 'frame-src', 'img-src', 'style-src-attr']

test('the content security policy blocks inline code, inline styles, eval, other origins and frames', async () => {
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
    // In a separate task: code that a test runs directly is exempt from the policy.
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

test('the page can’t navigate, open windows or obtain permissions', async () => {
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

test('foreign frames can’t call the app', async () => {
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

/** A request for a visible part of these dimensions. */
const partOf = (width: number, height: number) => ({
  path: '/photo.jpg',
  preset: {},
  part: 'image',
  view: { width, height, middle: null },
  start: null,
})

test('a call with malformed arguments is refused before it has any effect', async () => {
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
    ['preview:part', partOf(32_768, 32_768)],
    ['preview:part', partOf(16_000, 16_000)],
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

/** Returns whether the page can show each of these addresses as an image. */
const shownOf = (urls: readonly string[]) =>
  page.evaluate(
    (all) =>
      Promise.all(
        all.map((url) => {
          const image = Object.assign(new Image(), { src: url })
          return image.decode().then(
            () => 'shown',
            () => 'refused',
          )
        }),
      ),
    urls,
  )
const thumbnailOf = (path: string) => `/thumbnail?path=${encodeURIComponent(path)}&size=64`

/** Returns the main process's refusal codes for every call that accesses a file. */
async function touch(paths: readonly string[]) {
  const shown = await shownOf(paths.map(thumbnailOf))
  const { sizes, codes } = await page.evaluate(async (asked) => {
    const { files } = window.mediatray
    const codesOf = async (path: string) => {
      const answers = await Promise.allSettled([
        files.open(path),
        files.reveal(path),
        files.startDrag([path]),
      ])
      return answers.map((answer) =>
        answer.status === 'fulfilled' ? 'allowed' : (answer.reason as { code: string }).code,
      )
    }
    return { sizes: await files.sizes([...asked]), codes: await Promise.all(asked.map(codesOf)) }
  }, paths)
  return { sizes, codes: codes.map((all, index) => [...all, shown[index]].join(' ')) }
}

test('files that don’t belong to a job can’t be opened, shown, measured or previewed', async () => {
  const secret = app.files.photo('private/secret.jpg')
  expect(await touch([secret])).toEqual({
    sizes: [null],
    codes: ['fileForeign fileForeign fileForeign refused'],
  })
  const urls = [
    `/pixels?key=${encodeURIComponent(secret)}`,
    '/../../../../etc/passwd.png',
    '/%2e%2e/%2e%2e/preload/preload.png',
  ]
  expect(await shownOf(urls)).toEqual(urls.map(() => 'refused'))
  const exist = await page.evaluate((paths) => window.mediatray.files.exist(paths), [secret, '/etc/passwd'])
  expect(exist).toEqual([false, false])
  expect(app.shellCalls()).toEqual([])
})

function program(path: string): string {
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o777)
  return path
}

test('the page can’t add a file that wasn’t dropped, either by path or with a File it constructs', async () => {
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

test('a program given as the results folder doesn’t become accessible', async () => {
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

/** Runs a job for which the service reports these results. */
async function finishWith(file: string, results: readonly string[]): Promise<void> {
  await page.evaluate(async (path) => {
    await window.mediatray.draft.clear()
    await window.mediatray.draft.update({ output: { kind: 'folder', path } })
  }, app.files.output)
  await app.dropFiles('.job-pane', [app.files.photo(file)])
  const number = service.jobs.length + 1
  await startButton(page).click()
  await expect.poll(() => service.jobs.length, WITHIN).toBe(number)
  service.pose(number, {
    status: 'completed',
    type: 'batch',
    completedAt: new Date().toISOString(),
    results: results.map((outputPath) => ({ file, outputPath })),
  })
  await pollNow(app)
  await doneRow(page, file).click()
}

test('foreign files that a service reports as results stay inaccessible, and a fake photo isn’t opened', async () => {
  const { output } = app.files
  mkdirSync(output, { recursive: true })
  const secret = app.files.photo('private/hidden.jpg')
  const named = [
    secret,
    join(output, '..', '..', 'Photos/private/hidden.jpg'),
    `${output}/../../Photos/private/hidden.jpg`,
    '//elsewhere.example/share/photo.jpg',
    program(join(output, 'false.jpg')),
    program(join(output, 'run.sh')),
  ]
  await finishWith('victim.jpg', named)
  await page.locator('.job-pane').getByText('false.jpg').first().waitFor()
  const outside = 'fileForeign fileForeign fileForeign refused'
  const falsePhoto = 'notMedia notMedia notMedia refused'
  expect(await touch(named)).toEqual({
    sizes: named.map(() => null),
    codes: [outside, outside, outside, outside, falsePhoto, falsePhoto],
  })
  expect(app.shellCalls()).toEqual([])
})

test('a control character that reverses the text direction of a result’s name is replaced by a visible symbol', async () => {
  mkdirSync(app.files.output, { recursive: true })
  const path = join(app.files.output, 'photo\u202Egpj.exe')
  writeFileSync(path, 'no photo')
  await finishWith('turned.jpg', [path])
  await page.locator('.job-pane').getByText('photo\uFFFDgpj.exe').first().waitFor()
  expect(await page.locator('body').innerHTML()).not.toContain('\u202E')
})

test('the page can’t send to or read from another local program without the user’s consent', async () => {
  const requests: string[] = []
  const secret = 'the words of another program'
  const other = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ error: secret }))
  })
  await new Promise<void>((listening) => void other.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const candidate = { baseUrl: `http://127.0.0.1:${port}/any/path`, key: 'k' }
  const test = () => page.evaluate((tried) => window.mediatray.connection.test(tried), candidate)

  await app.dialogs.answerMessage(0)
  expect(await test()).toEqual({ ok: false, why: 'notConfirmed' })
  expect(requests).toEqual([])

  await app.dialogs.answerMessage(CONNECT)
  expect(await test()).toEqual({ ok: false, why: 'notTheService' })
  expect(requests).toEqual(['GET /any/path/health'])
})

test('a program can be chosen only in a dialog, and only if other users can’t change it', async () => {
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

test('the key doesn’t appear in the page’s data or in the log', async () => {
  const all = await page.evaluate(async () => JSON.stringify(await window.mediatray.app.snapshot()))
  expect(all).not.toContain(service.key)
  expect(app.log()).not.toContain(service.key)
  expect(readFileSync(join(app.files.data, 'settings.json'), 'utf8')).not.toContain(service.key)
})
