import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type Denial = {
  readonly status: 401 | 403
  readonly code: 'keyInvalid' | 'hostForeign' | 'pageForeign'
}

export type Guard = ReturnType<typeof createGuard>

const BEARER = /^Bearer +(\S+) *$/i

/** @param apiKey stays in this closure; compared as a digest in constant time, so that neither its text nor its length leaks */
export function createGuard(apiKey: string) {
  const expected = digest(apiKey)
  return {
    /**
     * Checks the bearer key (section 5).
     * @returns undefined if the request is allowed
     */
    checkKey(headers: IncomingHttpHeaders): Denial | undefined {
      const given = BEARER.exec(headers.authorization ?? '')?.[1] ?? ''
      const isRight = timingSafeEqual(digest(given), expected) && given !== ''
      return isRight ? undefined : { status: 401, code: 'keyInvalid' }
    },
    /**
     * Keeps web pages out. Checks the requested host name and the origin that the browser reports.
     * @returns undefined if the request is allowed
     */
    checkOrigin(headers: IncomingHttpHeaders, port: number): Denial | undefined {
      const ownHosts = hostsOf(port)
      if (!ownHosts.has((headers.host ?? '').toLowerCase())) return { status: 403, code: 'hostForeign' }
      const { origin } = headers
      const isForeign = origin !== undefined && !ownHosts.has(origin.toLowerCase().replace(/^http:\/\//, ''))
      const site = headers['sec-fetch-site']
      const isCrossSite = site === 'cross-site' || site === 'same-site'
      if (isForeign || isCrossSite) return { status: 403, code: 'pageForeign' }
      return undefined
    },
  }
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

function hostsOf(port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]']
  // Clients omit the default port in `Host`.
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
}
