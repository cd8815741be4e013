/**
 * Custom schemes. Chromium can't be taught a scheme from outside, so `app://mediatray/x` is `https://mediatray.app.invalid/x`
 * in the browser: addresses are translated on their way in and out, and so are the words `app://` in the texts served.
 */

type Handler = (request: Request) => Response | Promise<Response>

export type Schemes = {
  register(schemes: readonly { readonly scheme: string }[]): void
  handle(scheme: string, handler: Handler): void
  unhandle(scheme: string): void
  isHandled(scheme: string): boolean
  /** `app://mediatray/x` → `https://mediatray.app.invalid/x`; anything else stays as it is. */
  toBrowser(url: string): string
  fromBrowser(url: string): string
  /** The answer for an address of the browser's, ready for it; null when no scheme of ours is meant. */
  answer(request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | undefined
  }): Promise<SchemeAnswer | null>
}

export type SchemeAnswer = {
  readonly status: number
  readonly headers: { name: string; value: string }[]
  readonly body: Buffer
}

const TEXT = /^(text\/|application\/(javascript|json|xml|manifest\+json)|image\/svg)/

/** Beside the app's own policy: everything but opening windows, which only the main process may do. */
const NO_WINDOWS = {
  name: 'content-security-policy',
  value:
    'sandbox allow-same-origin allow-scripts allow-forms allow-downloads allow-modals allow-pointer-lock',
}

export function createSchemes(): Schemes {
  const known = new Set<string>()
  const handlers = new Map<string, Handler>()

  const toBrowser = (url: string) => {
    const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url)
    const [, scheme = '', host = '', rest = ''] = parts ?? []
    return known.has(scheme) ? `https://${host}.${scheme}.invalid${rest === '' ? '/' : rest}` : url
  }
  const fromBrowser = (url: string) => {
    const parts = /^https:\/\/([^/?#]*)\.([a-z0-9+-]+)\.invalid(.*)$/is.exec(url)
    const [, host = '', scheme = '', rest = ''] = parts ?? []
    return known.has(scheme) ? `${scheme}://${host}${rest}` : url
  }
  const inText = (text: string) => {
    let translated = text
    for (const scheme of known)
      translated = translated.replaceAll(
        new RegExp(`\\b${scheme}://([a-z0-9-]+)`, 'gi'),
        (_, host: string) => `https://${host}.${scheme}.invalid`,
      )
    return translated
  }
  // A policy may also name the scheme alone.
  const inHeader = (value: string) => {
    let translated = inText(value)
    for (const scheme of known)
      translated = translated.replaceAll(
        new RegExp(`(?<=[\\s;]|^)${scheme}:(?=[\\s;]|$)`, 'gi'),
        `https://*.${scheme}.invalid`,
      )
    return translated
  }

  return {
    register(schemes) {
      for (const { scheme } of schemes) known.add(scheme)
    },
    handle(scheme, handler) {
      if (handlers.has(scheme)) throw new Error(`The scheme ${scheme} has been registered.`)
      handlers.set(scheme, handler)
      known.add(scheme)
    },
    unhandle: (scheme) => void handlers.delete(scheme),
    isHandled: (scheme) => handlers.has(scheme),
    toBrowser,
    fromBrowser,
    async answer(request) {
      const url = fromBrowser(request.url)
      const handler = handlers.get(new URL(url).protocol.slice(0, -1))
      if (handler === undefined || url === request.url) return null
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        fromBrowser(value),
      ])
      const bodyless = request.method === 'GET' || request.method === 'HEAD'
      const response = await handler(
        new Request(url, { method: request.method, headers, body: bodyless ? null : (request.body ?? null) }),
      )
      const body = Buffer.from(await response.arrayBuffer())
      const isText = TEXT.test(response.headers.get('content-type') ?? '')
      return {
        status: response.status,
        headers: [
          ...[...response.headers].map(([name, value]) => ({ name, value: inHeader(value) })),
          NO_WINDOWS,
        ],
        body: isText ? Buffer.from(inText(body.toString('utf8'))) : body,
      }
    },
  }
}
