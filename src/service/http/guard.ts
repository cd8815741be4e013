import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type Denial = { readonly status: 401 | 403; readonly message: string }

export type Guard = {
  /** Section 5: the bearer key. @returns undefined when the request may go on */
  checkKey(headers: IncomingHttpHeaders): Denial | undefined
  /** Keeps web pages out: by the name they call us by, and by where the browser says they come from. */
  checkOrigin(headers: IncomingHttpHeaders, port: number): Denial | undefined
}

const BEARER = /^Bearer +(\S+) *$/i

/** @param apiKey never leaves this closure, and is compared in constant time, by digest so that lengths don't tell either */
export function createGuard(apiKey: string): Guard {
  const expected = digest(apiKey)
  let ownPort = 0
  let ownHosts = hostsOf(ownPort)
  return {
    checkKey(headers) {
      const given = BEARER.exec(headers.authorization ?? '')?.[1] ?? ''
      const isRight = timingSafeEqual(digest(given), expected) && given !== ''
      return isRight ? undefined : { status: 401, message: 'The API key is missing or not valid' }
    },
    checkOrigin(headers, port) {
      if (port !== ownPort) {
        ownPort = port
        ownHosts = hostsOf(port)
      }
      if (!ownHosts.has((headers.host ?? '').toLowerCase())) {
        return { status: 403, message: 'This service answers only under the name of this computer itself' }
      }
      const { origin } = headers
      const isForeign = origin !== undefined && !ownHosts.has(origin.toLowerCase().replace(/^http:\/\//, ''))
      const site = headers['sec-fetch-site']
      const isCrossSite = site === 'cross-site' || site === 'same-site'
      if (isForeign || isCrossSite) return { status: 403, message: 'Web pages may not use this service' }
      return undefined
    },
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

function hostsOf(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  // Clients leave the port out of `Host` where it is the protocol's own.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}
