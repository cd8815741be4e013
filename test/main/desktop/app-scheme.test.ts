import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAppSchemeHandler } from '../../../src/main/desktop/windows/app-protocol.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let asked: string[]
let language: 'en' | 'de' = 'en'
let get: (url: string, method?: string) => Promise<Response>
const linkOf = async (path: string) => (await get(`app://mediatray/${path}`)).headers.get('Link')
const statusOf = async (path: string) => (await get(`app://mediatray/${path}`)).status

beforeEach(async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, 'page'))
  await mkdir(join(folder, 'page-of-others'))
  await writeFile(join(folder, 'page/index.html'), '<!doctype html>')
  await writeFile(join(folder, 'page/main.js'), 'start()')
  await writeFile(join(folder, 'page/notes.txt'), 'private')
  await writeFile(join(folder, 'secret.html'), 'private')
  await writeFile(join(folder, 'page-of-others/a.html'), 'private')
  asked = []
  const picture = { type: 'image/webp', bytes: new Uint8Array([1, 2, 3]) }
  const handle = createAppSchemeHandler({
    rendererFolder: join(folder, 'page'),
    thumbnails: {
      thumbnail(path, pixels) {
        asked.push(`${path} ${pixels}`)
        return path === '/broken.jpg' ? Promise.reject(new Error('broken')) : Promise.resolve(picture)
      },
    },
    language: () => language,
    previews: { pixels: (key) => (key === '7' ? { ...picture, type: 'image/png' } : undefined) },
  })
  get = (url, method = 'GET') => handle({ url, method })
})

describe('the page’s own files', () => {
  it('are available, each with its type, and are never cached', async () => {
    const page = await get('app://mediatray/')
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('Cache-Control')).toBe('no-store')
    expect(page.headers.get('Content-Security-Policy')).toContain('default-src')
    expect(await (await get('app://mediatray/main.js')).text()).toBe('start()')
  })

  it('preload the texts in the app’s language in parallel with the script', async () => {
    expect(await linkOf('')).toBe('<./en.js>; rel=modulepreload')
    language = 'de'
    expect(await linkOf('')).toBe('<./de.js>; rel=modulepreload')
    expect(await linkOf('main.js')).toBeNull()
  })

  it.each([
    'app://mediatray/missing.js',
    'app://mediatray/notes.txt',
    'app://mediatray/%2e%2e/secret.html',
    'app://mediatray/..%2fsecret.html',
    'app://mediatray/..%2fpage-of-others%2fa.html',
    'app://mediatray/%E0%A4%A.html',
    'app://elsewhere/index.html',
    'https://mediatray/index.html',
  ])('don’t include anything else: %s is not found', async (url) => {
    const answer = await get(url)
    expect([answer.status, await answer.text()]).toEqual([404, ''])
  })

  it('are read-only', async () => {
    expect((await get('app://mediatray/', 'POST')).status).toBe(404)
  })
})

describe('an image', () => {
  it.each([
    ['', 72],
    ['&size=nonsense', 72],
    ['&size=0', 72],
    ['&size=1', 16],
    ['&size=144', 144],
    ['&size=5000', 256],
  ])('with %j is requested at %i pixels', async (size, pixels) => {
    const answer = await get(`app://mediatray/thumbnail?path=%2Fa.jpg${size}`)
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'image/webp'])
    expect(answer.headers.get('Cache-Control')).toBe('private, max-age=600')
    expect(asked).toEqual([`/a.jpg ${pixels}`])
  })

  it('is not found if it doesn’t exist, isn’t named, or can’t be created', async () => {
    for (const path of ['thumbnail', 'thumbnail?path=%2Fbroken.jpg']) {
      expect(await statusOf(path)).toBe(404)
    }
  })
})

describe('the pixels of a preview', () => {
  it('are available only under the key that the main process assigned', async () => {
    const pixels = await get('app://mediatray/pixels?key=7')
    expect([pixels.status, pixels.headers.get('Content-Type')]).toEqual([200, 'image/png'])
    expect([
      await statusOf('pixels?key=8'),
      await statusOf('pixels'),
      await statusOf('pixels?key=/a.jpg'),
    ]).toEqual([404, 404, 404])
  })
})
