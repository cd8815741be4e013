/**
 * Serves `app://mediatray`: the page's files, and the thumbnails and previews that it may show. With `file://`, the page would have an
 * opaque origin and could read any file on disk.
 */
import type { CustomScheme, Protocol } from 'electron'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { Language } from '../../../shared/i18n/catalog.ts'
import { APP_ORIGIN, type EncodedImage } from '../../../shared/thumbnail-url.ts'
import type { Previews } from '../../preview/preview.ts'
import type { Thumbnails } from '../../thumbnails/thumbnails.ts'

const SCHEME = 'app'

/** Must be registered before `ready`. */
export const APP_SCHEME: CustomScheme = {
  scheme: SCHEME,
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export type AppSchemeOptions = {
  /** Folder of the built page. */
  readonly rendererFolder: string
  readonly thumbnails: Pick<Thumbnails, 'thumbnail'>
  readonly language: () => Language
  readonly previews: Pick<Previews, 'pixels'>
}

const answer = (
  status: number,
  type = 'text/plain',
  body: Uint8Array<ArrayBuffer> | null = null,
  headers: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store' },
) => new Response(body, { status, headers: { ...SECURITY_HEADERS, 'Content-Type': type, ...headers } })

const notFound = () => answer(404)

async function pageFile(
  { rendererFolder: folder, language }: AppSchemeOptions,
  pathname: string,
): Promise<Response> {
  const isStart = pathname === '/'
  const path = normalize(join(folder, isStart ? 'index.html' : decodeURIComponent(pathname)))
  const type = TYPES[extname(path)]
  if (!path.startsWith(folder + sep) || type === undefined) return notFound()
  try {
    // Preloads the texts in parallel with the script that imports them.
    const ahead = isStart ? { Link: `<./${language()}.js>; rel=modulepreload` } : {}
    return answer(200, type, await readFile(path), { 'Cache-Control': 'no-store', ...ahead })
  } catch {
    return notFound()
  }
}

async function imageResponse(
  found: EncodedImage | undefined | Promise<EncodedImage | undefined>,
): Promise<Response> {
  const image = await found
  return image === undefined
    ? notFound()
    : answer(200, image.type, image.bytes, { 'Cache-Control': 'private, max-age=600' })
}

/** Creates the request handler of the page. It never throws. */
export function createAppSchemeHandler(options: AppSchemeOptions) {
  const { thumbnails, previews } = options
  return async (request: { readonly url: string; readonly method: string }): Promise<Response> => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || `${url.protocol}//${url.host}` !== APP_ORIGIN) return notFound()
    const path = url.searchParams.get('path')
    try {
      if (url.pathname === '/thumbnail') {
        const pixels = Math.min(256, Math.max(16, Number(url.searchParams.get('size')) || 72))
        return path === null ? notFound() : await imageResponse(thumbnails.thumbnail(path, pixels))
      }
      if (url.pathname === '/pixels')
        return await imageResponse(previews.pixels(url.searchParams.get('key') ?? ''))
      return await pageFile(options, url.pathname)
    } catch {
      return notFound()
    }
  }
}

export function serveAppScheme(protocol: Protocol, options: AppSchemeOptions): void {
  protocol.handle(SCHEME, createAppSchemeHandler(options))
}

/** Allows only the listed sources: no inline code or styles, no requests, frames or forms. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Requires Trusted Types: strings can't become scripts, and no code can create a policy that would allow it.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
