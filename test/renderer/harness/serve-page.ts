import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AddressInfo } from 'node:net'
import { build } from 'vite'
import { pseudoLanguages } from './pseudo-languages.ts'
import { textScripts } from '../../../src/renderer/text-scripts.ts'
import { APP_ORIGIN } from '../../../src/shared/thumbnail-url.ts'

const CONFIG = fileURLToPath(new URL('../../../src/renderer/vite.config.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('page.ts', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
/** The content security policy that the app sends with its scheme. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'none'"
/**
 * Lets the browser cache files, as the app's scheme caches compiled code. Built or drawn files don't change while they are served.
 */
const KEPT = { 'cache-control': 'max-age=3600' }

export type ServedPage = {
  readonly url: string
  close(): Promise<void>
}

/**
 * Builds the page as the app does, into a separate folder, so that `dist` isn't touched. `page.ts` replaces the page's script.
 * @param folder an empty or absent folder
 */
export const buildPage = (folder: string): Promise<unknown> =>
  build({
    configFile: CONFIG,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
    plugins: [
      textScripts(pseudoLanguages),
      {
        name: 'page for tests',
        transformIndexHtml: { order: 'pre', handler: (html) => html.replace('./main.tsx', PAGE) },
      },
    ],
  })

/** Serves the built page over HTTP with the app's content security policy. Images are drawn based on their path. */
export async function servePage(folder: string): Promise<ServedPage> {
  const server = createServer((request, response) => {
    answer(folder, new URL(request.url ?? '/', 'http://page'))
      .then(({ type, body, stays }) => {
        const headers = { 'content-type': type, 'content-security-policy': POLICY }
        response.writeHead(200, stays ? { ...headers, ...KEPT } : headers).end(body)
      })
      .catch(() => response.writeHead(404).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port }: AddressInfo = addressOf(server.address())
  return {
    url: `http://127.0.0.1:${port}/index.html`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const addressOf = (address: string | AddressInfo | null): AddressInfo => {
  if (address === null || typeof address === 'string') throw new Error('The page is not served')
  return address
}

async function answer(
  folder: string,
  url: URL,
): Promise<{ type: string; body: Buffer | string; stays?: true }> {
  // Browsers request this icon; the app doesn't.
  if (url.pathname === '/favicon.ico') return { type: 'image/x-icon', body: '' }
  const path = url.searchParams.get('path')
  if (path !== null) {
    return { type: 'image/svg+xml', body: picture(path, 72, 72), stays: true }
  }
  const key = url.searchParams.get('key')
  if (key !== null) return { type: 'image/svg+xml', body: picture(key, 1_066, 600), stays: true }
  const file = await readFile(join(folder, url.pathname))
  const type = TYPES[extname(url.pathname)] ?? 'application/octet-stream'
  // The app's scheme exists only inside the app.
  return {
    type,
    body: type === 'text/javascript' ? file.toString().replaceAll(APP_ORIGIN, '') : file,
    stays: true,
  }
}

/** A small landscape with colors derived from the path. */
function picture(path: string, width: number, height: number): string {
  const base = path.replace(/\.[^./]*$/, '').replace(/^.*\//, '')
  const hue = Buffer.from(base).reduce((sum, byte) => (sum * 31 + byte) % 360, 7)
  const saturation = path.endsWith('.webp') ? 55 : 25
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90" preserveAspectRatio="xMidYMid slice" width="${width}" height="${height}">
    <rect width="160" height="90" fill="hsl(${hue},${saturation}%,78%)"/><circle cx="104" cy="32" r="9" fill="hsl(${hue},70%,92%)"/>
    <path d="M0 56 40 36l30 20 34-26 56 30v30H0Z" fill="hsl(${hue + 30},${saturation}%,48%)"/>
    <path d="M0 74 50 58l40 18 70-20v34H0Z" fill="hsl(${hue + 50},${saturation}%,28%)"/></svg>`
}
