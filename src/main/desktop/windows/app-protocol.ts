/**
 * `app://mediatray`: the page's own files, and the thumbnails that it may show. A scheme instead of `file://`, which would give
 * the page an origin without a name and a view of the disk.
 */
import type { CustomScheme, Protocol } from 'electron'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { Language } from '../../../shared/i18n/format.ts'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'

const SCHEME = 'app'

/** Registered before `ready`. */
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

export type Thumbnails = {
  /** @returns a WebP or PNG picture, or undefined when there is none to show */
  thumbnail(path: string, pixels: number): Promise<Picture | undefined>
}

export type Previews = {
  /** @returns what `PreviewPixels` names, while it is kept */
  pixels(key: string): Picture | undefined
}

export type Picture = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

export type AppSchemeOptions = {
  /** Where the built page is. */
  readonly rendererFolder: string
  readonly thumbnails: Thumbnails
  /** What the window speaks. */
  readonly language: () => Language
  readonly previews: Previews
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
    // The texts come beside the script that will ask for them, and not after it.
    const ahead = isStart ? { Link: `<./${language()}.js>; rel=modulepreload` } : {}
    return answer(200, type, await readFile(path), { 'Cache-Control': 'no-store', ...ahead })
  } catch {
    return notFound()
  }
}

async function picture(found: Picture | undefined | Promise<Picture | undefined>): Promise<Response> {
  const made = await found
  return made === undefined
    ? notFound()
    : answer(200, made.type, made.bytes, { 'Cache-Control': 'private, max-age=600' })
}

/** @returns what a request of the page is answered with; never throws */
export function createAppSchemeHandler(options: AppSchemeOptions) {
  const { thumbnails, previews } = options
  return async (request: { readonly url: string; readonly method: string }): Promise<Response> => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || `${url.protocol}//${url.host}` !== APP_ORIGIN) return notFound()
    const path = url.searchParams.get('path')
    try {
      if (url.pathname === '/thumbnail') {
        const pixels = Math.min(256, Math.max(16, Number(url.searchParams.get('size')) || 72))
        return path === null ? notFound() : await picture(thumbnails.thumbnail(path, pixels))
      }
      if (url.pathname === '/pixels') return await picture(previews.pixels(url.searchParams.get('key') ?? ''))
      return await pageFile(options, url.pathname)
    } catch {
      return notFound()
    }
  }
}

export function serveAppScheme(protocol: Protocol, options: AppSchemeOptions): void {
  protocol.handle(SCHEME, createAppSchemeHandler(options))
}

/** Nothing is allowed but what is named; no inline code or styles, no requests, no frames, no forms. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Text never becomes a script, and nobody can make a policy that would let it.
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
