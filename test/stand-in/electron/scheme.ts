/**
 * Custom schemes. Chromium can't add a scheme from outside, so the browser uses `https://mediatray.app.invalid/x` for
 * `app://mediatray/x`.
 * Addresses are translated in both directions, and so is the text `app://` in served files.
 */

type Handler = (request: Request) => Response | Promise<Response>

export type Schemes = ReturnType<typeof createSchemes>

const TEXT = /^(text\/|application\/(javascript|json|xml|manifest\+json)|image\/svg)/

/** Added to the app's own policy. Allows everything except opening windows, which only the main process may do. */
const NO_WINDOWS = {
  name: 'content-security-policy',
  value:
    'sandbox allow-same-origin allow-scripts allow-forms allow-downloads allow-modals allow-pointer-lock',
}

export function createSchemes() {
  const known = new Set<string>()
  const handlers = new Map<string, Handler>()

  /** `app://mediatray/x` → `https://mediatray.app.invalid/x`; other addresses are unchanged. */
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
  // A policy may also name a scheme without a host.
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
    register(schemes: readonly { readonly scheme: string }[]): void {
      for (const { scheme } of schemes) known.add(scheme)
    },
    handle(scheme: string, handler: Handler): void {
      if (handlers.has(scheme)) throw new Error(`The scheme ${scheme} has been registered.`)
      handlers.set(scheme, handler)
      known.add(scheme)
    },
    toBrowser,
    fromBrowser,
    /** Returns the response to a browser request, or null if the request isn't for a custom scheme. */
    async answer(request: {
      readonly url: string
      readonly method: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string | undefined
    }) {
      const url = fromBrowser(request.url)
      const handler = handlers.get(new URL(url).protocol.slice(0, -1))
      if (handler === undefined || url === request.url) return null
      const headers = Object.entries(request.headers)
      const translated = headers.map(([name, value]): [string, string] => [name, fromBrowser(value)])
      const bodyless = request.method === 'GET' || request.method === 'HEAD'
      const asked = { headers: translated, body: bodyless ? null : (request.body ?? null) }
      const response = await handler(new Request(url, { method: request.method, ...asked }))
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
